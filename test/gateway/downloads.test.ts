import { Readable } from 'node:stream';
import type { VideoTask } from '../../gateway';
import type { RequestHelper } from '../../gateway/http/types';
import { VideoDownloads } from '../../gateway/video/downloads';
import { VirtualClock } from '../clock/virtualClock';

const video = (id: string, url: string): VideoTask => ({ id, url, status: 'completed' });
const atOf = (url: string) => Number(new URL(url).searchParams.get('at'));

/** Downloads that run in turn, from a server that responds as told. */
function downloadsFrom(
	clock: VirtualClock,
	respond: (url: string) => { statusCode: number; headers?: Record<string, string> },
	poll: (taskId: string) => VideoTask,
) {
	const requested: string[] = [];
	const polls: string[] = [];
	const httpRequest: RequestHelper = async ({ url }) => {
		requested.push(url);
		return await Promise.resolve({
			headers: {},
			body: Readable.from([Buffer.alloc(9)]),
			...respond(url),
		});
	};
	const downloads = new VideoDownloads({
		clock,
		httpRequest,
		maxConcurrency: 1,
		maxRetries: 4,
		timeoutMs: 60_000,
		ignoresSslIssuesAt: () => false,
		poll: async (taskId) => {
			polls.push(taskId);
			return await Promise.resolve(poll(taskId));
		},
	});
	/** Storing each video takes two seconds. */
	const download = async (task: VideoTask) =>
		await downloads.download(
			task,
			async ({ stream }) => {
				for await (const part of stream) expect(part).toBeDefined();
				await clock.sleep(2_000);
				return task.id;
			},
			undefined,
		);
	return { download, requested, polls };
}

test('videos that are downloaded in turn all arrive, though their URLs are valid for three seconds', async () => {
	const clock = new VirtualClock();
	const fresh = (id: string) => video(id, `https://videos.test/${id}?at=${clock.now()}`);
	const { download, polls } = downloadsFrom(
		clock,
		(url) => ({ statusCode: clock.now() - atOf(url) > 3_000 ? 403 : 200 }),
		fresh,
	);
	const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
	const all = Promise.all(ids.map(async (id) => await download(fresh(id))));
	expect(await clock.run(all)).toEqual(ids);
	expect(polls).toEqual(['c', 'd', 'e', 'f']);
});

test.each([400, 403, 404, 410])(
	'a URL that returns %i is asked for anew twice at most, and the error has the status',
	async (status) => {
		const clock = new VirtualClock();
		const { download, polls } = downloadsFrom(
			clock,
			() => ({ statusCode: status }),
			(id) => video(id, `https://videos.test/${id}?at=${polls.length}`),
		);
		const failed = download(video('a', 'https://videos.test/a')).catch((error: unknown) => error);
		expect(await clock.run(failed)).toMatchObject({ code: 'download_refused', status });
		expect(polls).toHaveLength([403, 404].includes(status) ? 2 : 1);
	},
);

test.each([
	['fails', undefined],
	['tells no URL', ''],
	['tells the same URL', 'https://videos.test/a'],
])(
	'a URL that the server does not know yet is tried again if the poll for another one %s',
	async (_what, told) => {
		const clock = new VirtualClock();
		const { download, requested } = downloadsFrom(
			clock,
			() => ({ statusCode: requested.length === 1 ? 404 : 200 }),
			(id) => {
				if (told === undefined) throw new Error('The poll failed');
				return video(id, told);
			},
		);
		const url = 'https://videos.test/a';
		expect(await clock.run(download(video('a', url)))).toBe('a');
		expect(requested).toEqual([url, url]);
	},
);

test('a video that a server does not know yet leaves all retries for what is transient', async () => {
	const clock = new VirtualClock();
	const { download, requested } = downloadsFrom(
		clock,
		() => ({ statusCode: requested.length <= 5 ? 404 : requested.length <= 9 ? 503 : 200 }),
		(id) => video(id, 'https://videos.test/a'),
	);
	expect(await clock.run(download(video('a', 'https://videos.test/a')))).toBe('a');
});

test.each([
	[429, '20', 20_000],
	[503, '45', 45_000],
	[503, '4000', undefined],
])(
	'a server that says %i with Retry-After %s is asked again then, if that is soon',
	async (statusCode, after, at) => {
		const clock = new VirtualClock();
		const begin = clock.now();
		const { download } = downloadsFrom(
			clock,
			() =>
				clock.now() === begin
					? { statusCode, headers: { 'retry-after': after } }
					: { statusCode: 200 },
			(id) => video(id, ''),
		);
		const ended = download(video('a', 'https://videos.test/a')).then(
			() => clock.now() - begin - 2_000,
			() => undefined,
		);
		expect(await clock.run(ended)).toBe(at);
	},
);

test('a download whose file cannot be stored is closed, even if its server sends nothing more', async () => {
	const body = new Readable({ read: () => {} });
	body.push(Buffer.alloc(9));
	const downloads = new VideoDownloads({
		clock: new VirtualClock(),
		httpRequest: async () => await Promise.resolve({ statusCode: 200, headers: {}, body }),
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 60_000,
		ignoresSslIssuesAt: () => false,
		poll: async () => await Promise.reject(new Error('No other URL is needed')),
	});
	const store = async ({ stream }: { stream: Readable }) =>
		await new Promise<never>((_resolve, reject) => {
			const fail = (error: Error) => reject(error);
			stream.once('error', fail).resume();
			setImmediate(() => stream.destroy(new Error('The disk is full')));
		});
	const failed = downloads.download(video('a', 'https://videos.test/a'), store, undefined);
	await expect(failed).rejects.toMatchObject({ code: 'storage_failed' });
	expect(body.destroyed).toBe(true);
});

test.each(['is stopped', 'has timed out'])(
	'a download that %s ends at once, even while the name of its host is looked up',
	async (how) => {
		const clock = new VirtualClock();
		const begin = clock.now();
		const stop = new AbortController();
		const downloads = new VideoDownloads({
			clock,
			// With SSRF protection, n8n's helper looks the name up before it takes the signal.
			httpRequest: async () => await new Promise<never>(() => {}),
			maxConcurrency: 1,
			maxRetries: 0,
			timeoutMs: 60_000,
			ignoresSslIssuesAt: () => false,
			poll: async () => await Promise.reject(new Error('No other URL is needed')),
		});
		const store = async () => await Promise.resolve();
		if (how === 'is stopped') clock.after(1_000, () => stop.abort());
		const ended = downloads
			.download(video('a', 'https://videos.test/a'), store, stop.signal)
			.catch((error: unknown) => error);
		expect(await clock.run(ended)).toMatchObject({
			code: how === 'is stopped' ? 'cancelled' : 'download_failed',
		});
		expect(clock.now() - begin).toBeLessThanOrEqual(how === 'is stopped' ? 1_000 : 60_010);
	},
);

test('a video with a Content-Length above 4 GiB is not downloaded', async () => {
	const clock = new VirtualClock();
	const headers = { 'content-length': String(5 * 1024 ** 3) };
	const { download, requested } = downloadsFrom(
		clock,
		() => ({ statusCode: 200, headers }),
		(id) => video(id, ''),
	);
	const failed = download(video('a', 'https://videos.test/a')).catch((error: unknown) => error);
	expect(await clock.run(failed)).toMatchObject({ message: 'The video is larger than 4 GiB' });
	expect(requested).toHaveLength(1);
});

test.each(['videos.test/a', 'ftp://videos.test/a', 'https://'])(
	'a video with the URL %s is not requested, and the error says why',
	async (url) => {
		const clock = new VirtualClock();
		const { download, requested } = downloadsFrom(
			clock,
			() => ({ statusCode: 200 }),
			(id) => video(id, ''),
		);
		const failed = download(video('a', url)).catch((error: unknown) => error);
		expect(await clock.run(failed)).toMatchObject({
			// Nothing is wrong with the form, and running the node again would be billed again.
			code: 'download_refused',
			message: expect.stringContaining('does not begin with http:// or https://'),
			// Another download would end in the same way.
			advice: expect.stringContaining('Download off'),
		});
		expect(requested).toEqual([]);
	},
);
