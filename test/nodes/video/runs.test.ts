import { useSimulator } from '../../engine/useServers';
import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { bytesOf } from '../../../demo/engine';
import { runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0.1 });
afterEach(() => {
	jest.restoreAllMocks();
});

const video = (parameters: object = {}) =>
	videoNode({ requestOptions: { maxRetries: 0 }, ...parameters });

test.each(['get', 'wait'])(
	'%s downloads the same inline video for several items and deletes its temporary files',
	async (operation) => {
		const folder = await mkdtemp(join(os.tmpdir(), 'videos-'));
		jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
		const large = { size: '1080p', duration: 10, options: { responseFormat: 'b64_json', fps: 60 } };
		const { items: submitted } = await runNode(simulator, video({ operation: 'submit', ...large }));
		const { task_id: taskId } = submitted[0]!.json;
		await runNode(simulator, video({ operation: 'wait', taskId }));
		const { items } = await runNode(simulator, {
			...video({ operation, taskId, download: true }),
			items: Array.from({ length: 8 }, () => ({})),
		});
		const videos = await Promise.all(items.map(async (item) => await bytesOf(item)));
		expect(videos[0]!.length).toBeGreaterThan(256 * 1024);
		expect(videos.map(({ length }) => length)).toEqual(Array(8).fill(videos[0]!.length));
		expect(await readdir(folder)).toEqual([]);
		await rmdir(folder);
	},
);
