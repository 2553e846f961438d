import { type Simulator, startSimulator } from '../../simulator';
import { runAgent, type Tool } from '../engine/runAgent';
import { boat, callTool, makeVideo, onError, type Way } from './toolNodes';

/** What the model learns when a tool that it called has failed. */
export function testFailingTools(way: Way): void {
	let simulator: Simulator;
	beforeAll(async () => {
		simulator = await startSimulator({ videoSeconds: 0.02 });
	});
	beforeEach(() => simulator.reset());
	afterAll(async () => await simulator.close());

	test('a refusal reaches the model in plain words, without the key', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'echo-key-general' });
		const { told, run } = await callTool(simulator, way, makeVideo, boat);
		expect(told).toMatch(/refused the API key/);
		expect(JSON.stringify(run.data)).not.toContain(simulator.key);
	});

	test('the model reads why a video could not be made, so that it can ask for another', async () => {
		const prompt = 'A boat [fault:task-failed-object]';
		const { told } = await callTool(simulator, way, makeVideo, { ...boat, prompt });
		expect(told).toMatch(/could not generate the video of task .*The service says: /s);
	});

	test('what the model filled in wrongly is refused before anything is paid for', async () => {
		const { told } = await callTool(simulator, way, makeVideo, { ...boat, seconds: 60 });
		expect(told).toMatch(/Duration must be a number from 2 to 10/);
		expect(simulator.count('submit')).toBe(0);
	});

	test.each([
		['at once', [boat, boat], 1],
		['after another video', [boat, { ...boat, prompt: 'A red kite' }, boat], 2],
	])(
		'a model that asks for the same video again after a failure, %s, gets the one that is paid for',
		async (_when, inputs, videos) => {
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
			const called = async ({ tools: [only] }: { tools: Tool[] }) => {
				let told = '';
				for (const input of inputs) told = await only!.invoke(input).catch(() => '');
				return told;
			};
			const toolCalls = inputs.map((input) => ({ tool: makeVideo.name, input }));
			const { result } = await runAgent(simulator, {
				work: way === 'agent' ? called : { toolCalls },
				tools: [onError(way, makeVideo)],
				withoutModel: true,
			});
			expect(JSON.stringify(result)).toContain(`${simulator.tasks[0]?.id}.mp4`);
			expect(simulator.submissions).toBe(videos);
		},
	);
}
