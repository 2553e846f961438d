import { Readable } from 'node:stream';
import type { IncomingVideo, VideoTask } from '../../gateway';
import { Slots } from '../../gateway/limits/scope';
import { ServiceQueue } from '../../gateway/limits/serviceQueue';
import { ApiKey } from '../../gateway/redaction';
import { downloadVideo } from '../../gateway/video/downloads';
import type { StoreVideo } from '../../gateway/video/fetchVideo';
import type { DownloadContext } from '../../gateway/video/openVideo';
import { formatOf } from '../../gateway/video/fileFormat';
import { VirtualClock } from '../clock/virtualClock';
import { failureOf } from './inMemory';

const URL_OF_A = 'https://videos.test/a';
const video = (id: string, url: string): VideoTask => ({ id, url, status: 'completed' });
const atOf = (url: string) => Number(new URL(url).searchParams.get('at'));

interface Response {
	statusCode: number;
	headers?: Record<string, string>;
	body?: Readable;
}

/** Downloads that run in turn, from a server that responds as told. */
function downloadsFrom(
	respond: (url: string) => Response | Promise<Response>,
	poll: (taskId: string) => VideoTask = (id) => video(id, ''),
	maxRetries = 4,
) {
	const clock = new VirtualClock();
	const requested: string[] = [];
	const polls: string[] = [];
	let signal: AbortSignal | undefined;
	// The stream of n8n's helper is a wrapper: only the signal closes the connection.
	const isClosed = () => signal?.aborted;
	const context: DownloadContext = {
		...{ transport: () => Promise.reject(new Error('No request')), account: '' },
		...{ origin: 'https://service.test', prefix: '', ignoreSslIssues: false },
		apiKey: new ApiKey('the-key'),
		clock,
		httpRequest: async ({ url, abortSignal }) => {
			signal = abortSignal;
			requested.push(url);
			return { headers: {}, body: Readable.from([Buffer.alloc(9)]), ...(await respond(url)) };
		},
		queue: new ServiceQueue(clock),
		slots: new Slots(1),
		maxRetries,
		timeoutMs: 60_000,
		poll: async (taskId) => {
			polls.push(taskId);
			return await Promise.resolve(poll(taskId));
		},
	};
	const start = async <Stored>(
		task: VideoTask,
		store: StoreVideo<Stored>,
		signal?: AbortSignal,
	): Promise<Stored> => await downloadVideo(context, task, store, signal);
	/** Storing each video takes two seconds. */
	const download = async (task = video('a', URL_OF_A), signal?: AbortSignal) =>
		await start(
			task,
			async ({ stream }) => {
				for await (const part of stream) expect(part).toBeDefined();
				await clock.sleep(2_000);
				return task.id;
			},
			signal,
		);
	return { clock, start, download, requested, polls, isClosed };
}

test('videos that are downloaded in turn all arrive, though their URLs are valid for three seconds', async () => {
	const fresh = (id: string) => video(id, `https://videos.test/${id}?at=${clock.now()}`);
	const { clock, download, polls } = downloadsFrom(
		(url) => ({ statusCode: clock.now() - atOf(url) > 3_000 ? 403 : 200 }),
		(id) => fresh(id),
	);
	const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
	const all = Promise.all(ids.map(async (id) => await download(fresh(id))));
	expect(await clock.run(all)).toEqual(ids);
	expect(polls).toEqual(['c', 'd', 'e', 'f']);
});

/** Nothing was ordered: no second download is billed. */
const REFUSED = { code: 'download_refused', may_have_been_accepted: false };

test.each([400, 403, 404, 410])(
	'a URL that returns %i is asked for anew twice at most, and the error has the status',
	async (statusCode) => {
		const { clock, download, polls } = downloadsFrom(
			() => ({ statusCode }),
			(id) => video(id, `${URL_OF_A}?at=${polls.length}`),
		);
		const error = await clock.run(failureOf(download()));
		expect(error.record).toMatchObject({ ...REFUSED, http_status: statusCode });
		expect(polls).toHaveLength([403, 404].includes(statusCode) ? 2 : 1);
	},
);

test.each<[string, () => Response]>([
	[
		'is not opened',
		() => {
			throw new Error('No way to the-key');
		},
	],
	[
		'breaks off',
		() => ({
			statusCode: 200,
			body: new Readable({
				read() {
					this.destroy(new Error('No way to the-key'));
				},
			}),
		}),
	],
])('the technical detail of a download that %s has no key', async (_what, respond) => {
	const { clock, download } = downloadsFrom(respond, undefined, 0);
	const { record } = await clock.run(failureOf(download()));
	expect(record.technical).toBe('No way to [API key removed]');
});

test.each([
	['fails', undefined],
	['tells no URL', ''],
	['tells the same URL', URL_OF_A],
])(
	'a URL that the server does not know yet is tried again if the poll for another one %s',
	async (_what, told) => {
		const { clock, download, requested } = downloadsFrom(
			() => ({ statusCode: requested.length === 1 ? 404 : 200 }),
			(id) => {
				if (told === undefined) throw new Error('The poll failed');
				return video(id, told);
			},
		);
		expect(await clock.run(download())).toBe('a');
		expect(requested).toEqual([URL_OF_A, URL_OF_A]);
	},
);

test('JSON with status 200 in place of a video, such as an overload, is no last word', async () => {
	const overload = () => Readable.from([Buffer.from('{"error":{"type":"overloaded_error"}}')]);
	const { clock, download, requested } = downloadsFrom(() =>
		requested.length === 1 ? { statusCode: 200, body: overload() } : { statusCode: 200 },
	);
	expect(await clock.run(download())).toBe('a');
	const always = downloadsFrom(() => ({ statusCode: 200, body: overload() }));
	const { record } = await always.clock.run(failureOf(always.download()));
	expect(record).toMatchObject({
		...REFUSED,
		http_status: 200,
		technical: expect.stringContaining('overloaded_error'),
	});
	expect(record.advice).not.toMatch(/would bring the same/);
	expect(always.requested).toHaveLength(5);
});

test('a video that a server does not know yet leaves all retries for what is transient', async () => {
	const { clock, download, requested } = downloadsFrom(
		() => ({ statusCode: requested.length <= 5 ? 404 : requested.length <= 9 ? 503 : 200 }),
		(id) => video(id, URL_OF_A),
	);
	expect(await clock.run(download())).toBe('a');
});

test.each([
	[429, '20', 20_000],
	[503, '45', 45_000],
	[503, '4000', undefined],
])(
	'a server that says %i with Retry-After %s is asked again then, if that is soon',
	async (statusCode, after, at) => {
		const { clock, download, requested } = downloadsFrom(() =>
			requested.length === 1
				? { statusCode, headers: { 'retry-after': after } }
				: { statusCode: 200 },
		);
		const begin = clock.now();
		const ended = download().then(
			() => clock.now() - begin - 2_000,
			() => undefined,
		);
		expect(await clock.run(ended)).toBe(at);
	},
);

test.each<[string, string, (stream: Readable, stop: AbortController) => void]>([
	[
		'whose file cannot be stored',
		'storage_failed',
		(stream) => stream.destroy(new Error('The disk is full')),
	],
	['that is stopped', 'cancelled', (_stream, stop) => stop.abort()],
])('a download %s is closed, even if its server sends nothing more', async (_what, code, end) => {
	const body = new Readable({ read: () => {} });
	body.push(Buffer.alloc(5_000));
	const { start, isClosed } = downloadsFrom(() => ({ statusCode: 200, body }));
	const stop = new AbortController();
	const store = async ({ stream }: { stream: Readable }) =>
		await new Promise<never>((_resolve, reject) => {
			const fail = (error: Error) => reject(error);
			stream.once('error', fail).resume();
			setImmediate(end, stream, stop);
		});
	const failed = start(video('a', URL_OF_A), store, stop.signal);
	await expect(failed).rejects.toMatchObject({ code });
	expect([body.destroyed, isClosed()]).toEqual([true, true]);
});

test('a download of which the storage reads no more is closed', async () => {
	const body = new Readable({ read: () => {} });
	body.push(Buffer.alloc(5_000));
	const { start, isClosed } = downloadsFrom(() => ({ statusCode: 200, body }));
	const store = async () => await Promise.resolve('stored');
	expect(await start(video('a', URL_OF_A), store, undefined)).toBe('stored');
	expect([body.destroyed, isClosed()]).toEqual([true, true]);
});

test('a download that its server refuses is closed, however long its page is', async () => {
	const body = new Readable({ read: () => {} });
	const refuse = () => ({ statusCode: 404, body });
	const { clock, download, isClosed } = downloadsFrom(refuse, undefined, 0);
	expect(await clock.run(failureOf(download()))).toMatchObject({ record: { http_status: 404 } });
	expect([body.destroyed, isClosed()]).toEqual([true, true]);
});

test.each([
	['is stopped', 'cancelled', 1_000],
	['has timed out', 'download_failed', 60_010],
])(
	'a download that %s ends at once, even while the name of its host is looked up',
	async (how, code, mostMs) => {
		// With SSRF protection, n8n's helper looks the name up before it takes the signal.
		const lookUp = async () => await new Promise<never>(() => {});
		const { clock, download } = downloadsFrom(lookUp, undefined, 0);
		const begin = clock.now();
		const stop = new AbortController();
		if (how === 'is stopped') clock.after(1_000, () => stop.abort());
		const error = await clock.run(failureOf(download(undefined, stop.signal)));
		expect(error).toMatchObject({ code });
		expect(clock.now() - begin).toBeLessThanOrEqual(mostMs);
	},
);

test('a download whose connection closes half-way has failed, also where nothing tells why', async () => {
	const body = new Readable({
		read() {
			this.push(Buffer.alloc(9));
			this.destroy();
		},
	});
	const { clock, download } = downloadsFrom(() => ({ statusCode: 200, body }), undefined, 0);
	const error = await clock.run(failureOf(download()));
	expect(error).toMatchObject({ code: 'download_failed' });
});

test.each([
	[0, 'a'],
	[1, 'The video is larger than 4 GiB'],
])('a video with a Content-Length of 4 GiB and %i bytes ends as: %s', async (more, ends) => {
	const headers = { 'content-length': String(4 * 1024 ** 3 + more) };
	const { clock, download, requested } = downloadsFrom(() => ({ statusCode: 200, headers }));
	const ended = download().catch(({ message }: Error) => message);
	expect(await clock.run(ended)).toBe(ends);
	expect(requested).toHaveLength(1);
});

test.each([
	['videos.test/a', 'does not begin with http:// or https://: videos.test/a'],
	['ftp://videos.test/a', 'does not begin with http:// or https://: ftp://videos.test/a'],
	['https://', 'is not valid: https://'],
	['https://videos.test:99999/a', 'is not valid: https://videos.test:99999/a'],
])('a video with the URL %s is not requested, and the error says that it %s', async (url, why) => {
	const { clock, download, requested } = downloadsFrom(() => ({ statusCode: 200 }));
	expect(await clock.run(failureOf(download(video('a', url))))).toMatchObject({
		// Nothing is wrong with the form, and running the node again would be billed again.
		code: 'download_refused',
		message: `The URL of the video ${why}`,
	});
	expect(requested).toEqual([]);
});

test.each([400, 403, 404, 410, 429, 503])(
	'with Max Retries 0, a URL that returns %i is requested once, and its task is not polled',
	async (statusCode) => {
		const { clock, download, requested, polls } = downloadsFrom(
			() => ({ statusCode }),
			(id) => video(id, `${URL_OF_A}/new`),
			0,
		);
		const error = await clock.run(failureOf(download()));
		expect(error).toMatchObject({ code: 'download_refused', record: { http_status: statusCode } });
		expect([requested, polls]).toEqual([[URL_OF_A], []]);
	},
);

test('a download that takes many times Timeout arrives while it goes on', async () => {
	async function* drip() {
		for (let part = 0; part < 20; part += 1) {
			await clock.sleep(40_000);
			yield Buffer.alloc(9);
		}
	}
	const { clock, download } = downloadsFrom(() => ({
		statusCode: 200,
		body: Readable.from(drip()),
	}));
	expect(await clock.run(download())).toBe('a');
});

test('a response that a busy process reads when Timeout is over is taken', async () => {
	const { clock, download } = downloadsFrom(async () => {
		await clock.sleep(60_000);
		return { statusCode: 200 };
	});
	expect(await clock.run(download())).toBe('a');
});

test('a server that fails is asked again as often as Max Retries allows, and the service for no other URL', async () => {
	const { clock, download, requested, polls } = downloadsFrom(() => ({ statusCode: 503 }));
	await clock.run(failureOf(download()));
	expect(requested).toHaveLength(5);
	expect(polls).toEqual([]);
});

test('a server that asks for pauses is not waited for longer than five minutes in all', async () => {
	const headers = { 'retry-after': '150' };
	const { clock, download, requested } = downloadsFrom(() => ({ statusCode: 503, headers }));
	const begin = clock.now();
	await clock.run(failureOf(download()));
	expect(requested).toHaveLength(3);
	expect(clock.now() - begin).toBe(300_000);
});

test("a video that comes in many parts is written to n8n's storage in few", async () => {
	const body = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(64 * 1024)));
	const { clock, start } = downloadsFrom(() => ({ statusCode: 200, body }));
	const written: number[] = [];
	const store = async ({ stream }: IncomingVideo) => {
		for await (const part of stream) written.push(part.length);
	};
	await clock.run(start(video('a', URL_OF_A), store, undefined));
	expect(written.map((bytes) => bytes / 1024)).toEqual([512, 512, 256]);
});

test('a URL that no server knows is tried again for 30 seconds, then its video has no URL', async () => {
	const times: number[] = [];
	const { clock, download } = downloadsFrom(
		() => {
			times.push(clock.now());
			return { statusCode: 404 };
		},
		(id) => video(id, URL_OF_A),
	);
	const begin = clock.now();
	const error = await clock.run(failureOf(download()));
	expect(error).toMatchObject({ code: 'download_refused', record: { http_status: 404 } });
	expect(times.length).toBeGreaterThan(5);
	// The service told the same URL again: it is not asked for at once.
	expect(new Set(times).size).toBe(times.length);
	expect(clock.now() - begin).toBeGreaterThanOrEqual(30_000);
	expect(clock.now() - begin).toBeLessThan(61_000);
});

test.each([
	['text/html', '<html>\t', 'download_refused'],
	['application/json', '{"error":1}', 'download_refused'],
	['application/xml', '<Error/>', 'download_refused'],
	['video/mp4', '<html>', 'download_refused'],
	['application/octet-stream', '\x01\x02', 'a'],
	['text/plain', '\0\0\0\x18ftyp', 'a'],
	['video/mp4', '', 'download_failed'],
])('a body of the type %s that begins with %j ends as %s', async (type, begins, ends) => {
	const { clock, download } = downloadsFrom(
		() => ({
			statusCode: 200,
			headers: { 'content-type': type },
			body: Readable.from(begins === '' ? [] : [Buffer.from(begins), Buffer.from('...')]),
		}),
		undefined,
		0,
	);
	const ended = download().catch(({ code }: { code: string }) => code);
	expect(await clock.run(ended)).toBe(ends);
});

test.each([
	['mp4', '\0\0\0\x18ftypisom'],
	['mov', '\0\0\0\x14ftypqt  '],
	['mov', '\0\0\0\x08wide\0\0\0\x01mdat'],
	['avi', 'RIFF\0\0\0\0AVI LIST'],
	['mkv', '\x1aE\xdf\xa3\x01\0\0\0matroska'],
	['webm', '\x1aE\xdf\xa3\x01\0\0\0webm'],
	['ts', `G${'\0'.repeat(187)}`.repeat(3)],
	['m2ts', `\0\0\0\0G${'\0'.repeat(187)}`.repeat(3)],
])('a file is named %s by its first bytes: %j', (extension, begins) => {
	expect(formatOf(Buffer.from(begins, 'latin1'))).toEqual({ extension });
});

test.each([
	['a page in UTF-16', '\xff\xfe<\0h\0t\0m\0l\0>\0', 'an HTML page'],
	['a page in UTF-16 without a mark', '<\0h\0t\0m\0l\0>\0', 'an HTML page'],
	['JSON in big-endian UTF-16', '\xfe\xff\0{\0}', 'JSON'],
	['a word that begins with G', 'Gone', 'text'],
])('%s is no video', (_what, begins, instead) => {
	expect(formatOf(Buffer.from(begins, 'latin1'))).toMatchObject({ instead });
});

test.each([202, 409, 425])(
	'a video whose URL returns %i at first is downloaded, and its task is not polled again',
	async (statusCode) => {
		let requests = 0;
		const { clock, download, polls } = downloadsFrom(() => ({
			statusCode: (requests += 1) < 4 ? statusCode : 200,
		}));
		expect(await clock.run(download())).toBe('a');
		expect(polls).toEqual([]);
	},
);

test.each([
	['the words of an error body', '{"error":{"message":"It was removed"}}', 'It was removed'],
	[
		'the text of a page',
		'<html><head><title>Oops</title></head><p>It was removed</p></html>',
		'It was removed',
	],
	[
		'XML',
		'<?xml version="1.0"?><Error><Message>It was removed</Message></Error>',
		'It was removed',
	],
	['a word', 'It was removed\n', 'It was removed'],
	['nothing of bytes', '\0\x01\x02', undefined],
])('the error of a refused video has %s', async (_what, text, words) => {
	const body = () => Readable.from([Buffer.from(text)]);
	const { clock, download } = downloadsFrom(() => ({ statusCode: 451, body: body() }));
	expect((await clock.run(failureOf(download()))).record.words).toBe(words);
});
