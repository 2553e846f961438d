import './memoryMode';
import { useSimulator } from '../engine/useServers';
import { bytesOf } from '../../demo/engine';
import { runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.02 });

test('if n8n keeps binary data in memory, a downloaded video is part of the item', async () => {
	const { items, error } = await runNode(simulator, videoNode({ download: true }));
	expect(error).toBeUndefined();
	expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4', fileExtension: 'mp4' });
	expect(items[0]?.binary?.data?.id).toBeUndefined();
	expect((await bytesOf(items[0]!)).subarray(4, 8).toString()).toBe('ftyp');
});
