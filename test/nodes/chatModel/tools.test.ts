import { useSimulator } from '../../engine/useServers';
import { runAgent } from '../../engine/runAgent';
import { askSomeone, findModels, makeVideo } from './toolNodes';

const simulator = useSimulator({ videoSeconds: 0.05 });

test('an agent sees each node as a tool with a description and its parameters', async () => {
	const { result, error } = await runAgent(simulator, {
		work: async ({ tools, model }) => {
			await model.bindTools(tools).invoke([['user', 'Hello']]);
			return Object.fromEntries(tools.map(({ name, description }) => [name, description]));
		},
		tools: [makeVideo, askSomeone, findModels],
	});
	expect(error).toBeUndefined();
	expect(result).toEqual({
		Make_a_Video: expect.stringMatching(/video/i),
		Ask_an_Expert: expect.stringMatching(/language model/i),
		Find_Models: expect.stringMatching(/models/i),
	});
	const { tools } = simulator.requests[0]!.body as {
		tools: Array<{ function: { name: string; parameters: object } }>;
	};
	const video = tools.find((tool) => tool.function.name === 'Make_a_Video');
	expect(video?.function.parameters).toMatchObject({
		type: 'object',
		properties: {
			prompt: { type: 'string', description: 'What the video shows' },
			seconds: { type: 'number' },
		},
		required: ['prompt', 'seconds'],
	});
});
