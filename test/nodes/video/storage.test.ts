import 'reflect-metadata';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService, FileTooLargeError } from 'n8n-core';
import fs from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { bytesOf } from '../../../demo/engine';
import { type RawResponse, rawJson, rawResponse } from '../../engine/rawServer';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { RequestClock } from '../../clock/requestClock';
import { runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

const server = useRawServer();
const simulator = useSimulator({ videoSeconds: 0 });
let folder: string;
beforeAll(async () => {
	folder = await fs.mkdtemp(join(os.tmpdir(), 'videos-'));
});
afterAll(async () => {
	await fs.rm(folder, { recursive: true });
});

const VIDEO = Buffer.concat([Buffer.from('\0\0\0\x18ftyp'), Buffer.alloc(50_000, 'video')]);
const COMPRESSED = rawResponse('200 OK', gzipSync(VIDEO), {
	'content-type': 'video/mp4',
	'content-encoding': 'gzip',
});

/** Downloads a finished video whose file has this response. */
async function getVideo(response: RawResponse) {
	const task = { id: 'task-1', status: 'completed', progress: 100, url: `${server.url}/video` };
	server.respond = (request) => (request.startsWith('GET /video') ? response : rawJson(task));
	return await runNode(server, {
		...videoNode({
			operation: 'get',
			taskId: task.id,
			download: true,
			options: { maxRetries: 0 },
		}),
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
	const half = Buffer.concat([...packets]).subarray(0, -100);
	const { items } = await getVideo({ packets: [half], then: 'ends' });
	expect(items[0]?.json.error).toMatchObject({ code: 'download_failed' });
	// What asks whether it is safe to send the item again would submit a video that is billed.
	expect(items[0]?.json.error).not.toHaveProperty('may_have_been_accepted');
	expect(items[0]?.binary).toBeUndefined();
});

/** The JSON of its inline video is above the bound of other responses. */
const LARGE = { size: '1080p', duration: 10, options: { responseFormat: 'b64_json', fps: 60 } };

test.each(['get', 'wait'])(
	'%s downloads the same inline video for several items, one after the other',
	async (operation) => {
		const submission = videoNode({ operation: 'submit', ...LARGE });
		const { items: submitted } = await runNode(simulator, submission);
		const taskId = String(submitted[0]!.json.task_id);
		const { items } = await runNode(simulator, {
			...videoNode({ operation, taskId, download: true }),
			items: Array.from({ length: 8 }, () => ({})),
		});
		const videos = await Promise.all(items.map(async (item) => await bytesOf(item)));
		expect(videos[0]!.length).toBeGreaterThan(256 * 1024);
		expect(videos.map(({ length }) => length)).toEqual(Array(8).fill(videos[0]!.length));
	},
);

/** Creates a file with the name of the folder in which n8n stores the files of this execution. */
async function blockStorage(executionId: string): Promise<string> {
	const { localStoragePath } = Container.get(BinaryDataConfig);
	const executions = join(localStoragePath, 'workflows', 'workflow', 'executions');
	await fs.mkdir(executions, { recursive: true });
	await fs.writeFile(join(executions, executionId), '');
	return executions;
}

test.each([
	['a video', 'full', {}, 1],
	['an inline video', 'full-too', LARGE, 0],
])(
	'%s that n8n cannot store is not downloaded again, with the folder in the error',
	async (_what, executionId, parameters, downloads) => {
		const path = await blockStorage(executionId);
		const { items } = await runNode(simulator, {
			...videoNode({ ...parameters, download: true }),
			executionId,
			onError: 'continueRegularOutput',
		});
		expect(items[0]?.json.error).toMatchObject({
			code: 'storage_failed',
			task_id: simulator.tasks[0]!.id,
			message: expect.stringContaining(path),
		});
		expect(simulator.count('download')).toBe(downloads);
	},
);

describe('another storage of n8n', () => {
	/** Makes n8n store files with this function. */
	function storeWith(store: (video: Readable) => Promise<{ fileId: string; fileSize: number }>) {
		const binaryData = Container.get(BinaryDataService);
		jest.replaceProperty(binaryData, 'mode' as never, 'database' as never);
		const manager = { store: async (_: unknown, video: Readable) => await store(video) };
		jest.replaceProperty(binaryData, 'managers' as never, { database: manager } as never);
	}
	const download = async () => {
		const { items } = await runNode(simulator, {
			...videoNode({ download: true, options: { maxRetries: 2 } }),
			onError: 'continueRegularOutput',
		});
		return items[0]?.json;
	};
	/** Takes a part of the video, and then fails as a pipeline does. */
	const breaking = async (video: Readable, error: Error) => {
		const write = (_part: Buffer, _: unknown, done: (error: Error) => void) => done(error);
		await pipeline(video, new Writable({ write }));
		throw error;
	};

	test('a video above the limit of the database is downloaded once, with the limit in the error', async () => {
		storeWith(async (video) => {
			await buffer(video);
			throw new FileTooLargeError({ fileSizeMb: 600, maxFileSizeMb: 512, fileId: 'file' });
		});
		expect((await download())?.error).toMatchObject({
			code: 'storage_failed',
			task_id: simulator.tasks[0]!.id,
			message: 'The video is larger than this n8n stores',
			description: expect.stringMatching(
				/Increase N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE.*operation Get.*512 MB/s,
			),
		});
		expect(simulator.count('download')).toBe(1);
	});

	const refused = new Error('The bucket refuses the file');
	test.each([
		[
			'the whole video arrived',
			async (video: Readable) => {
				await buffer(video);
				throw refused;
			},
		],
		['a part of the video arrived', async (video: Readable) => await breaking(video, refused)],
	])('that fails after %s: the video is downloaded once', async (_, store) => {
		storeWith(store);
		expect((await download())?.error).toMatchObject({
			code: 'storage_failed',
			message: 'n8n could not store the video',
			description: expect.stringMatching(/binary data.*The bucket refuses the file/s),
		});
		expect(simulator.count('download')).toBe(1);
	});

	test('that passes on the failure of a download: the download is tried again', async () => {
		simulator.inject({ endpoint: 'download', fault: 'truncated', times: 2 });
		storeWith(async (video) => {
			const parts: Buffer[] = [];
			const write = (part: Buffer, _: unknown, done: () => void) => {
				parts.push(part);
				done();
			};
			await pipeline(video, new Writable({ write }));
			return { fileId: 'file', fileSize: Buffer.concat(parts).length };
		});
		const time = new RequestClock();
		const item = await time.until(download()).finally(() => time.restore());
		expect(item).toMatchObject({ status: 'completed' });
		expect(simulator.count('download')).toBe(3);
	});
});
