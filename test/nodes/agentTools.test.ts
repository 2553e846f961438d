import { type Simulator, startSimulator } from '../../simulator';
import { runAgent, type Tool, type ToolNode } from '../engine/runAgent';
import { askSomeone, boat, callTool, findModels, makeVideo } from './toolNodes';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.02 });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

test.each([
	['generate', 'Generate a video in Video Generation'],
	['submit', 'Submit a video without waiting in Video Generation'],
	['get', "Get a video's status in Video Generation"],
	['wait', 'Wait for a submitted video in Video Generation'],
])('a Video Generation tool tells the model that it does this: %s', async (operation, told) => {
	const tool = { ...makeVideo, parameters: { ...makeVideo.parameters, operation } };
	expect(await descriptionOf(tool)).toBe(told);
});

test('a tool keeps the description that the user gave it', async () => {
	const written = { toolDescription: 'Makes films of birds' };
	const parameters = { ...askSomeone.parameters, ...written };
	expect(await descriptionOf({ ...askSomeone, parameters })).toBe('Makes films of birds');
	const video = { ...makeVideo.parameters, ...written, descriptionType: 'manual' };
	expect(await descriptionOf({ ...makeVideo, parameters: video })).toBe('Makes films of birds');
});

/** What the model reads of a tool. */
async function descriptionOf(tool: ToolNode): Promise<unknown> {
	const work = async ({ tools }: { tools: Tool[] }) => await Promise.resolve(tools[0]?.description);
	return (await runAgent(simulator, { work, withoutModel: true, tools: [tool] })).result;
}

describe.each(['agent', 'engine'] as const)('called by the %s', (way) => {
	test('Video Generation makes the video and tells its address', async () => {
		const { told } = await callTool(simulator, way, makeVideo, boat);
		expect(simulator.tasks).toMatchObject([{ prompt: boat.prompt }]);
		expect(told).toContain(`${simulator.tasks[0]?.id}.mp4`);
	});

	test('Chat Completion tells the answer', async () => {
		const { told } = await callTool(simulator, way, askSomeone, {
			question: 'Why is the sky blue?',
		});
		expect(told).toContain('Why is the sky blue?');
	});

	test('List Models tells the models', async () => {
		const { told } = await callTool(simulator, way, findModels, { word: 'film' });
		expect(told).toContain('tern-film-20250212');
		expect(told).not.toContain('heron-chat');
	});

	test('what a tool reads and writes does not show among the words of the agent that streams', async () => {
		const question = { question: 'Why is the sky blue?' };
		const { told, chunks } = await callTool(simulator, way, askSomeone, question, {
			streaming: true,
		});
		expect(told).toContain('Why is the sky blue?');
		expect(chunks).toEqual([]);
	});

	test('Retry On Fail pays for no video twice', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const { told } = await callTool(simulator, way, { ...makeVideo, tries: 3 }, boat);
		expect(told).toContain('.mp4');
		expect(simulator.submissions).toBe(1);
	});
});
