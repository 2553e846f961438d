import { type Simulator, startSimulator } from '../../simulator';
import { runAgent } from '../engine/runAgent';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chatNode';
import { missingAiSdk } from '../nodes/missingAiSdk';
import { boat, callTool, makeVideo } from '../nodes/toolNodes';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.02 });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

test('the chat model says that this n8n cannot run it, and what to do', async () => {
	const { error, run } = await runAgent(simulator, {
		work: async ({ model }) => (await model.invoke([['user', 'Hello']])).text,
	});
	expect(error?.description).toBe(missingAiSdk.message);
	expect(run.data.resultData.runData.Model?.[0]?.error).toMatchObject(missingAiSdk);
	expect(simulator.count('chat')).toBe(0);
});

test('without usage insights an answer still tells its tokens', async () => {
	const { items, run } = await runNode(simulator, chatNode());
	expect(run.data.resultData.runData.Node?.[0]?.metadata).toBeUndefined();
	expect(items[0]?.json.usage).toMatchObject({ total_tokens: expect.any(Number) as number });
});

test('an error tells its status and what to do, though n8n knows no causes of failures', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-api-key' });
	const { error } = await runNode(simulator, chatNode());
	expect(error).toMatchObject({
		name: 'NodeApiError',
		httpCode: '401',
		message: expect.stringMatching(/refused the API key/) as string,
		description: expect.stringMatching(/The service says: /) as string,
	});
	expect(error).not.toHaveProperty('failure');
});

test('a tool that fails for the engine ends the workflow, with the whole error', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'invalid-api-key' });
	const { told, error } = await callTool(simulator, 'engine', makeVideo, boat);
	expect(told).toBeUndefined();
	expect(error?.message).toMatch(/refused the API key.*The service says: /s);
});
