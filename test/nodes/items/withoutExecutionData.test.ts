import { useSimulator } from '../../engine/useServers';
import { ExecuteContext, SupplyDataContext } from 'n8n-core';
import { runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { askSomeone, boat, callTool, makeVideo } from '../chatModel/toolNodes';
import { videoNode } from '../video/videoNode';

// n8n runs the tools of MCP Server Trigger and of its own agents without execution data, so they have no context.
const simulator = useSimulator({ videoSeconds: 0.02 });
let contexts: jest.SpyInstance[];
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
});

describe.each(['agent', 'engine'] as const)('called by the %s', (caller) => {
	test('Video Generation submits one video per call', async () => {
		for (const count of [1, 2]) {
			const { result } = await callTool(simulator, caller, makeVideo, boat);
			expect(result).toContain(`${simulator.tasks.at(-1)?.id}.mp4`);
			expect(simulator.submissions).toBe(count);
		}
	});

	test('Chat Completion returns the answer', async () => {
		const { result } = await callTool(simulator, caller, askSomeone, { question: 'Why blue?' });
		expect(result).toContain('Why blue?');
	});
});

test('nodes that are not tools work, too', async () => {
	const video = await runNode(simulator, { ...videoNode(), items: [{}, {}] });
	expect(video.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	const chat = await runNode(simulator, chatNode());
	expect(chat.items[0]?.json.text).toEqual(expect.any(String));
});
