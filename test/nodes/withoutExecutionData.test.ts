import { ExecuteContext, SupplyDataContext } from 'n8n-core';
import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from './chatNode';
import { askSomeone, boat, callTool, makeVideo } from './toolNodes';
import { videoNode } from './videoNode';

/** n8n runs the tools of an MCP Server Trigger and of its own Agents without execution data, and so without context. */
let simulator: Simulator;
let contexts: jest.SpyInstance[];
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.02 });
});
beforeEach(() => {
	contexts = [ExecuteContext, SupplyDataContext].map((context) =>
		jest.spyOn(context.prototype, 'getContext').mockImplementation(() => {
			throw new Error('`executionData` is not initialized');
		}),
	);
});
afterEach(() => {
	expect(contexts.some(({ mock }) => mock.results.length > 0)).toBe(true);
	jest.restoreAllMocks();
	simulator.reset();
});
afterAll(async () => await simulator.close());

describe.each(['agent', 'engine'] as const)('called by the %s', (way) => {
	test('Video Generation makes each video once, and again when it is asked again', async () => {
		for (const count of [1, 2]) {
			const { told } = await callTool(simulator, way, makeVideo, boat);
			expect(told).toContain(`${simulator.tasks.at(-1)?.id}.mp4`);
			expect(simulator.submissions).toBe(count);
		}
	});

	test('Chat Completion tells the answer', async () => {
		const { told } = await callTool(simulator, way, askSomeone, { question: 'Why blue?' });
		expect(told).toContain('Why blue?');
	});
});

test('nodes that are no tools work, too', async () => {
	const video = await runNode(simulator, { ...videoNode(), items: [{}, {}] });
	expect(video.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	const chat = await runNode(simulator, chatNode());
	expect(chat.items[0]?.json.text).toEqual(expect.any(String));
});
