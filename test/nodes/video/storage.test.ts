import 'reflect-metadata';
import { Container } from '@n8n/di';
import { BinaryDataConfig } from 'n8n-core';
import fs from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bytesOf } from '../../../demo/engine';
import { type Simulator, startSimulator } from '../../../simulator';
import { type RawResponse, RawServer, rawResponse } from '../../engine/rawServer';
import { runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

const server = new RawServer();
let simulator: Simulator;
let folder: string;
beforeAll(async () => {
	await server.listen();
	simulator = await startSimulator({ videoSeconds: 0 });
	folder = await fs.mkdtemp(join(os.tmpdir(), 'videos-'));
});
beforeEach(() => {
	server.reset();
	simulator.reset();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	await Promise.all([server.close(), simulator.close(), fs.rm(folder, { recursive: true })]);
});

const VIDEO = Buffer.concat([Buffer.from('\0\0\0\x18ftyp'), Buffer.alloc(50_000, 'video')]);
const COMPRESSED = rawResponse('200 OK', gzipSync(VIDEO), {
	'content-type': 'video/mp4',
	'content-encoding': 'gzip',
});

/** Downloads a finished video whose file has this response. */
async function getVideo(response: RawResponse) {
	const task = { id: 'task-1', status: 'completed', progress: 100, url: `${server.url}/video` };
	server.respond = (request) =>
		request.startsWith('GET /video') ? response : rawResponse('200 OK', JSON.stringify(task));
	return await runNode(simulator, {
		...videoNode({
			operation: 'get',
			taskId: task.id,
			download: true,
			requestOptions: { maxRetries: 0 },
		}),
		credential: { baseUrl: server.url, apiKey: 'the-key' },
		onError: 'continueRegularOutput',
	});
}

test('a compressed video with a Content-Length is downloaded completely', async () => {
	const { items } = await getVideo(COMPRESSED);
	expect((await bytesOf(items[0]!)).equals(VIDEO)).toBe(true);
});

test.each([
	['a video', rawResponse('200 OK', VIDEO, { 'content-type': 'video/mp4' })],
	['a compressed video', COMPRESSED],
])('%s shorter than its Content-Length fails to download', async (_, { packets }) => {
	const half = Buffer.concat(packets).subarray(0, -100);
	const { items } = await getVideo({ packets: [half], then: 'ends' });
	expect(items[0]?.json.error).toMatchObject({ code: 'download_failed' });
	expect(items[0]?.binary).toBeUndefined();
});

const inlineVideo = async (executionId = '1') =>
	await runNode(simulator, {
		...videoNode({
			size: '1080p',
			duration: 10,
			options: { responseFormat: 'b64_json', fps: 60 },
			download: true,
		}),
		executionId,
		onError: 'continueRegularOutput',
	});

test('a temporary folder that does not exist fails the download at once, with the folder in the error', async () => {
	const missing = join(folder, 'missing');
	jest.spyOn(os, 'tmpdir').mockReturnValue(missing);
	const { items } = await inlineVideo();
	expect(items[0]?.json.error).toMatchObject({
		code: 'storage_failed',
		task_id: simulator.tasks[0]!.id,
		message: `Could not store the video in the temporary folder ${missing}`,
		description: expect.stringMatching(/Get with its task ID.*\n.*ENOENT/s) as string,
	});
	expect(simulator.count('poll')).toBe(1);
});

test('a temporary folder that is full fails the download at once, and its files are deleted', async () => {
	jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
	const { open } = fs;
	jest.spyOn(fs, 'open').mockImplementation(async (...given) => {
		const handle = await open(...given);
		const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
			code: 'ENOSPC',
		});
		return Object.assign(handle, { appendFile: async () => await Promise.reject(full) });
	});
	const { items } = await inlineVideo();
	expect(items[0]?.json.error).toMatchObject({
		code: 'storage_failed',
		message: `Could not store the video in the temporary folder ${folder}`,
		description: expect.stringMatching(/Free disk space.*\n.*ENOSPC/s) as string,
	});
	expect(simulator.count('poll')).toBe(1);
	expect(await fs.readdir(folder)).toEqual([]);
});

/** Creates a file with the name of the folder in which n8n stores the files of this execution. */
async function blockStorage(executionId: string): Promise<string> {
	const { localStoragePath } = Container.get(BinaryDataConfig);
	const executions = join(localStoragePath, 'workflows', 'workflow', 'executions');
	await fs.mkdir(executions, { recursive: true });
	await fs.writeFile(join(executions, executionId), '');
	return executions;
}

test('a video that n8n cannot store is downloaded once, with the folder in the error', async () => {
	const path = await blockStorage('full');
	const { items } = await runNode(simulator, {
		...videoNode({ download: true }),
		executionId: 'full',
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({
		code: 'storage_failed',
		task_id: simulator.tasks[0]!.id,
		message: expect.stringContaining(path) as string,
	});
	expect(simulator.count('download')).toBe(1);
});

test('an inline video that n8n cannot store has the same error', async () => {
	const path = await blockStorage('full-too');
	const { items } = await inlineVideo('full-too');
	expect(items[0]?.json.error).toMatchObject({
		code: 'storage_failed',
		message: expect.stringContaining(path) as string,
	});
});
