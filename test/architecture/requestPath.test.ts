import { runNode } from '../engine/runNode';
import { useSimulator } from '../engine/useServers';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.05 });

// `npm run path` counts what each of them executes.
test.each([
	['chat', chatNode(), 'finish_reason', 'stop'],
	['video', videoNode(), 'status', 'completed'],
] as const)('one %s passes from n8n to the service and back', async (_what, node, field, value) => {
	const { items } = await runNode(simulator, node);
	expect(items.map(({ json }) => json[field])).toEqual([value]);
});
