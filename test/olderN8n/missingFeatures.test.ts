import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { expectMissingAiSdk } from '../nodes/chatModel/missingAiSdk';
import { boat, callTool, makeVideo } from '../nodes/chatModel/toolNodes';

const simulator = useSimulator({ videoSeconds: 0.02 });

test('the chat model fails with the required version of n8n', async () => {
	await expectMissingAiSdk(simulator);
});

test('an answer has its token usage without usage insights', async () => {
	const { items, run } = await runNode(simulator, chatNode());
	expect(run.data.resultData.runData.Node?.[0]?.metadata).toBeUndefined();
	expect(items[0]?.json.usage).toMatchObject({ total_tokens: expect.any(Number) });
});

test('an error has its status and advice without failure causes', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-api-key' });
	const { error } = await runNode(simulator, chatNode());
	expect(error).toMatchObject({
		name: 'NodeApiError',
		httpCode: '401',
		message: expect.stringMatching(/refused the API key/),
		description: expect.stringMatching(/The service says: /),
	});
	expect(error).not.toHaveProperty('failure');
});

test('a failed tool call by the engine stops the workflow with the complete error', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'invalid-api-key' });
	const { result, error } = await callTool(simulator, 'engine', makeVideo, boat);
	expect(result).toBeUndefined();
	expect(error?.message).toMatch(/refused the API key.*The service says: /s);
});
