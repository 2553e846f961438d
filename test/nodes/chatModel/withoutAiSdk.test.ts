import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { expectMissingAiSdk } from './missingAiSdk';

// n8n before 2.16 has no SDK for AI nodes.
jest.mock('@n8n/ai-node-sdk', () => {
	throw new Error("Cannot find module '@n8n/ai-node-sdk'\nRequire stack:\n- /home/node/a.js");
});

const simulator = useSimulator();

test('on an older n8n, the chat model fails with the required version', async () => {
	await expectMissingAiSdk(simulator);
});

test('on an older n8n, the other nodes work', async () => {
	const { items, error } = await runNode(simulator, chatNode());
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
});
