import { useSimulator } from '../../engine/useServers';
import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { bytesOf } from '../../../demo/engine';
import { runNode } from '../../engine/runNode';
import { until } from '../../clock/until';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0.1 });
afterEach(() => {
	jest.restoreAllMocks();
});

const video = (parameters: object = {}) =>
	videoNode({ requestOptions: { maxRetries: 0 }, ...parameters });

test('Number of Videos 4 gives four finished videos, in order and paired with their item', async () => {
	const { items } = await runNode(simulator, video({ options: { n: 4 } }));
	expect(items).toHaveLength(4);
	expect(items.map(({ json }) => json.task_id)).toEqual(simulator.tasks.map(({ id }) => id));
	for (const { json, pairedItem } of items) {
		expect(json).toMatchObject({ status: 'completed', progress: 100, size: '720p', format: 'mp4' });
		expect(pairedItem).toEqual({ item: 0 });
	}
	expect(simulator.submissions).toBe(1);
});

test('Submit, Get and Wait work one after another', async () => {
	const { items: submitted } = await runNode(simulator, video({ operation: 'submit' }));
	expect(submitted[0]?.json).toMatchObject({ status: 'processing', model: 'kite-motion' });
	const taskId = String(submitted[0]?.json.task_id);
	const { items: seen } = await runNode(simulator, video({ operation: 'get', taskId }));
	expect(seen[0]?.json.task_id).toBe(taskId);
	const { items: finished } = await runNode(simulator, video({ operation: 'wait', taskId }));
	expect(finished[0]?.json).toMatchObject({ task_id: taskId, status: 'completed' });
	expect(simulator.submissions).toBe(1);
});

test.each(['url', 'b64_json'])(
	'Download stores a video in the format %s in a binary field',
	async (responseFormat) => {
		const { items } = await runNode(
			simulator,
			video({ download: true, options: { responseFormat } }),
		);
		const bytes = await bytesOf(items[0]!);
		expect(bytes.subarray(4, 8).toString()).toBe('ftyp');
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4', fileExtension: 'mp4' });
		expect(items[0]?.json).not.toHaveProperty('b64_json');
	},
);

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

test('Max Wait ends the wait with an error that has the task ID, or outputs the unfinished task', async () => {
	const endless = { prompt: 'A boat [fault:task-endless]' };
	const waitOptions = { pollInterval: 0.02, maxWait: 0.1 };
	const { error } = await runNode(simulator, video({ ...endless, waitOptions }));
	expect(error?.message).toContain(simulator.tasks[0]!.id);
	const { items } = await runNode(
		simulator,
		video({ ...endless, waitOptions: { ...waitOptions, onTimeout: 'output' } }),
	);
	expect(items[0]?.json).toMatchObject({ status: 'processing' });
});

test('waiting for a video does not count towards Max Concurrency', async () => {
	const stop = new AbortController();
	const running = runNode(simulator, {
		...video({ prompt: '[fault:task-endless]', requestOptions: { maxConcurrency: 1 } }),
		items: [{}, {}, {}],
		signal: stop.signal,
	});
	await until(() => simulator.count('submit') === 3 && simulator.count('poll') > 0);
	stop.abort();
	await running;
	expect(simulator.submissions).toBe(3);
});
