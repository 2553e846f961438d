import { type Simulator, startSimulator } from '../../simulator';
import { type AgentRun, runAgent, type Tool, type ToolNode } from '../engine/runAgent';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.02 });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const locator = (value: string) => ({ __rl: true, mode: 'id', value });
const makeVideo: ToolNode = {
	node: 'videoGeneration',
	name: 'Make a Video',
	parameters: {
		model: locator('kite-motion'),
		prompt: "={{ $fromAI('prompt', 'What the video shows', 'string') }}",
		duration: "={{ $fromAI('seconds', 'How long it is', 'number') }}",
		waitOptions: { pollInterval: 0.01 },
	},
};
const askSomeone: ToolNode = {
	node: 'chatCompletion',
	name: 'Ask an Expert',
	parameters: {
		model: locator('lantern-reason'),
		messages: { values: [{ role: 'user', content: "={{ $fromAI('question') }}" }] },
	},
};
const findModels: ToolNode = {
	node: 'listModels',
	name: 'Find Models',
	parameters: { returnAll: true, filters: { search: "={{ $fromAI('word') }}" } },
};
const all = [makeVideo, askSomeone, findModels];

const boat = { prompt: 'A paper boat in the rain', seconds: 3 };

/** The two ways of n8n's agents: up to version 2 they call their tools themselves, since then the engine does. */
const ways = ['agent', 'engine'] as const;

/** What the model is told of one call of a tool. */
async function callTool(
	way: (typeof ways)[number],
	tool: ToolNode,
	input: Record<string, string | number>,
	more: Partial<AgentRun> = {},
) {
	const called = async ({ tools: [only] }: { tools: Tool[] }) =>
		await only!.invoke(input).catch((error: Error) => error.message);
	const { result, ...run } = await runAgent(simulator, {
		work: way === 'agent' ? called : { orders: [{ tool: tool.name, input }] },
		tools: [tool],
		...more,
	});
	return { told: JSON.stringify(result), ...run };
}

test('an agent sees each node as a tool with a description and the parameters that it may fill', async () => {
	const { result, error } = await runAgent(simulator, {
		work: async ({ tools, model }) => {
			await model.bindTools(tools).invoke([['user', 'Hello']]);
			return Object.fromEntries(tools.map(({ name, description }) => [name, description]));
		},
		tools: all,
	});
	expect(error).toBeUndefined();
	expect(result).toEqual({
		Make_a_Video: expect.stringMatching(/video/i) as string,
		Ask_an_Expert: expect.stringMatching(/language model/i) as string,
		Find_Models: expect.stringMatching(/models/i) as string,
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

test('a model that is asked for a video has it made, and tells where it is', async () => {
	const { result, error } = await runAgent(simulator, {
		work: async ({ model, tools: [tool] }) => {
			const able = model.bindTools([tool]);
			const asked = ['user', 'Please make a video of a paper boat'];
			const reply = await able.invoke([asked]);
			const [call] = reply.tool_calls!;
			const content = await tool!.invoke(call!.args);
			const answer = { type: 'tool', content, tool_call_id: call!.id };
			return (await able.invoke([asked, reply, answer])).text;
		},
		tools: [{ ...makeVideo, parameters: { ...makeVideo.parameters, duration: 2 } }],
	});
	expect(error).toBeUndefined();
	expect(simulator.tasks).toMatchObject([
		{ prompt: 'Please make a video of a paper boat', status: 'completed' },
	]);
	expect(result).toContain(`/files/${simulator.tasks[0]?.id}.mp4`);
});

describe.each(ways)('called by the %s', (way) => {
	test('Video Generation makes the video and tells its address', async () => {
		const { told } = await callTool(way, makeVideo, boat);
		expect(simulator.tasks).toMatchObject([{ prompt: boat.prompt }]);
		expect(told).toContain(`${simulator.tasks[0]?.id}.mp4`);
	});

	test('Chat Completion tells the answer', async () => {
		const { told } = await callTool(way, askSomeone, { question: 'Why is the sky blue?' });
		expect(told).toContain('Why is the sky blue?');
	});

	test('List Models tells the models', async () => {
		const { told } = await callTool(way, findModels, { word: 'film' });
		expect(told).toContain('tern-film-20250212');
		expect(told).not.toContain('heron-chat');
	});

	test('what a tool reads and writes does not show among the words of the agent that streams', async () => {
		const question = { question: 'Why is the sky blue?' };
		const { told, chunks } = await callTool(way, askSomeone, question, { streaming: true });
		expect(told).toContain('Why is the sky blue?');
		expect(chunks).toEqual([]);
	});

	test('a refusal reaches the model in plain words, without the key', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'echo-key-general' });
		const { told, run } = await callTool(way, makeVideo, boat);
		expect(told).toMatch(/refused the API key/);
		expect(JSON.stringify(run.data)).not.toContain(simulator.key);
	});

	test('the model reads why a video could not be made, so that it can ask for another', async () => {
		const prompt = 'A boat [fault:task-failed-object]';
		const { told } = await callTool(way, makeVideo, { ...boat, prompt });
		expect(told).toMatch(/could not make the video of task .*The service says: /s);
	});

	test('what the model filled in wrongly is refused before anything is paid for', async () => {
		const { told } = await callTool(way, makeVideo, { ...boat, seconds: 60 });
		expect(told).toMatch(/Duration must be a number from 2 to 10/);
		expect(simulator.count('submit')).toBe(0);
	});

	test('Retry On Fail pays for no video twice', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const { told } = await callTool(way, { ...makeVideo, tries: 3 }, boat);
		expect(told).toContain('.mp4');
		expect(simulator.submissions).toBe(1);
	});

	test('a model that asks for the same video again after a failure gets the one that is paid for', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const twice =
			way === 'agent'
				? async ({ tools: [only] }: { tools: Tool[] }) => {
						await only!.invoke(boat).catch(() => {});
						return await only!.invoke(boat);
					}
				: { orders: [boat, boat].map((input) => ({ tool: makeVideo.name, input })) };
		const { result } = await runAgent(simulator, { work: twice, tools: [makeVideo] });
		expect(JSON.stringify(result)).toContain('.mp4');
		expect(simulator.submissions).toBe(1);
	});
});
