import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';

const simulator = useSimulator();

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
