import './ssrfProtection';
import { useSimulator } from '../engine/useServers';
import { credentialOf, type NodeRun, runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';
import { testCredential } from '../engine/testCredential';
import { chatNode } from '../nodes/chat/chatNode';

const simulator = useSimulator({ videoSeconds: 0.02 });

const video = videoNode({ download: true });
/** n8n allows this host name, but not the IP address. */
const allowed = () => ({
	baseUrl: simulator.url.replace('127.0.0.1', 'localhost'),
	apiKey: simulator.key,
});

test.each([
	['Chat Completion', chatNode()],
	['List Models', { node: 'listModels', parameters: {} } as NodeRun],
	['Video Generation', video],
])("n8n's SSRF protection blocks %s before a connection is opened", async (_name, run) => {
	const before = simulator.connections;
	const { error } = await runNode(simulator, run);
	expect(error?.message).toMatch(/SSRF/);
	expect(error?.description).toMatch(/administrator|Base URL/);
	expect(simulator.connections).toBe(before);
});

test("n8n's SSRF protection applies to the test of the credential", async () => {
	const before = simulator.connections;
	expect(await testCredential(credentialOf(simulator))).toMatch(
		/SSRF protection blocks.*administrator/,
	);
	expect(simulator.connections).toBe(before);
	expect(await testCredential(allowed())).toBeUndefined();
});
