import { randomBytes } from 'node:crypto';
import { later, type VideoTask, waitForTask } from '../../gateway';
import { slowResponses, stubbedGateway } from './inMemory';
import { VirtualClock } from '../clock/virtualClock';

const SMALL = randomBytes(1_000);
/** With its task, longer than any other response. */
const LARGE = randomBytes(2_000_001);
const BASE64 = LARGE.toString('base64');
const FILE = Buffer.concat([Buffer.from('\0\0\0\x18ftyp'), LARGE]);
/** Longer than a packet. */
const LONG_TEXT = 'A boat. '.repeat(300);

const escaped = (character: RegExp, escape: string) => (json: string) =>
	json.replace(character, escape);
const unchanged = (json: string) => json;

/** Reads a task whose JSON arrives in small packets, which split every value somewhere. */
async function fetchTask(task: object, write: (json: string) => string) {
	const json = { id: 'task-1', status: 'completed', ...task, revised_prompt: LONG_TEXT };
	const bytes = Buffer.from(write(JSON.stringify(json)));
	const packets: Buffer[] = [];
	for (let start = 0; start < bytes.length; start += 1_009) {
		packets.push(bytes.subarray(start, start + 1_009));
	}
	const files: Buffer[] = [];
	const keep = (video: Buffer) => void files.push(video);
	const read: VideoTask = await stubbedGateway({ packets }).getVideoTask('task-1', undefined, keep);
	return { task: read, files };
}

test.each([
	['in a field', { b64_json: BASE64 }, unchanged],
	['as a data URL', { url: `data:video/mp4;base64,${BASE64}` }, unchanged],
	['as a data URL in a field', { b64_json: `data:video/mp4;base64,${BASE64}` }, unchanged],
	['with escaped plus signs, as .NET writes JSON', { b64_json: BASE64 }, escaped(/\+/g, '\\u002B')],
	['with escaped slashes, as PHP writes JSON', { b64_json: BASE64 }, escaped(/\//g, '\\/')],
	['with escaped padding', { b64_json: BASE64 }, escaped(/=/g, '\\u003d')],
	['beside another', { b64_json: BASE64, data: [{ b64_json: BASE64 }] }, unchanged],
	['without padding', { b64_json: BASE64.replace(/=+$/, '') }, unchanged],
	['with line breaks', { b64_json: BASE64.replace(/.{76}/g, '$&\r\n') }, unchanged],
	[
		'after a text as long as a video',
		{ prompt: 'A boat. '.repeat(40_000), b64_json: BASE64 },
		unchanged,
	],
])('an inline video %s is read byte for byte', async (_how, task, write) => {
	const { files, task: read } = await fetchTask(task, write);
	expect(files).toHaveLength(1);
	expect(files[0]?.equals(LARGE)).toBe(true);
	expect(read).toMatchObject({ id: 'task-1', revised_prompt: LONG_TEXT, status: 'completed' });
	expect(JSON.stringify(read)).not.toMatch(/b64_json|"url"/);
});

test.each([
	['JSON', 'application/json', Buffer.from(JSON.stringify({ data: [{ b64_json: BASE64 }] }))],
	['a file', 'video/mp4', FILE],
])('the video in the response to a submission is read byte for byte: %s', async (...row) => {
	const [, type, bytes] = row;
	const packets = [bytes.subarray(0, 99), bytes.subarray(99)];
	const gateway = stubbedGateway({ packets, headers: { 'content-type': type } });
	const videos = new Map<string, Buffer>();
	const { data } = await gateway.submitVideo({ model: 'm', prompt: 'p' }, undefined, videos);
	expect(data).toMatchObject([{ status: 'completed', url: null }]);
	expect([...videos]).toEqual([[data[0]?.id, type === 'video/mp4' ? FILE : LARGE]]);
});

test('JSON that calls itself a video is read as JSON', async () => {
	const gatewayOf = (json: object) =>
		stubbedGateway({
			packets: [Buffer.from(JSON.stringify(json))],
			headers: { 'content-type': 'video/mp4' },
		});
	const task = { id: 'task-1', status: 'processing' };
	expect(await gatewayOf(task).getVideoTask('task-1')).toMatchObject(task);
	const submitted = gatewayOf({ data: [task] }).submitVideo({ model: 'm', prompt: 'p' });
	expect((await submitted).data).toMatchObject([task]);
});

test.each([
	['a text', 'A "boat" \\ drifts.\n'.repeat(20_000)],
	['base64 in a field of another name', 'QUJD'.repeat(100_000)],
])('%s as long as a video stays text', async (_what, text) => {
	const { task, files } = await fetchTask({ prompt: text }, unchanged);
	expect(files).toEqual([]);
	expect(task.prompt).toBe(text);
});

test.each([
	[
		'a text that quotes a field of inline data',
		{ prompt: '"b64_json": "AAAA", "url": "data:a;base64,AA"' },
	],
	['an empty field of inline data', { prompt: 'A boat', b64_json: '' }],
	['the data URL of an image', { prompt: 'A boat', image: 'data:image/png;base64,AAAA' }],
	['a preview of what is not finished', { prompt: 'A', status: 'processing', b64_json: BASE64 }],
	['a URL of other data', { prompt: 'A boat', url: 'data:video/mp4,AAAA' }],
])('%s is no inline video', async (_what, { prompt, ...fields }) => {
	const { task, files } = await fetchTask({ prompt, ...fields }, unchanged);
	expect(files).toEqual([]);
	expect(task.prompt).toBe(prompt);
	expect(task.url).toBe('url' in fields ? fields.url : undefined);
	for (const left of ['b64_json', 'image']) expect(task).not.toHaveProperty(left);
});

test.each([
	['in a field', { b64_json: SMALL.toString('base64') }],
	['as a data URL', { url: `data:video/mp4;base64,${SMALL.toString('base64')}` }],
	['as a data URL in a field', { b64_json: `data:;base64,${SMALL.toString('base64')}` }],
	['deep in the task', { data: [{ b64_json: SMALL.toString('base64') }] }],
	['behind a field without it', { b64_json: '', data: [{ b64_json: SMALL.toString('base64') }] }],
])('a small inline video %s is read byte for byte', async (_how, task) => {
	const { files } = await fetchTask(task, unchanged);
	expect(files).toHaveLength(1);
	expect(files[0]?.equals(SMALL)).toBe(true);
});

describe('an inline video that takes five minutes to arrive', () => {
	const text = JSON.stringify({ id: 'task-1', status: 'completed', b64_json: BASE64 });
	const parts = text.match(/.{1,20000}/g)!;

	/** Waits for the task of a service that sends its video slowly, and then nothing any more if it `hangs`. */
	async function waitForVideo(
		{ once = false, maxWaitMs = 600_000 }: { once?: boolean; maxWaitMs?: number },
		hangs = false,
	) {
		const clock = new VirtualClock();
		const start = clock.now();
		const partOf = (index: number) => (hangs && index >= 5 ? '' : parts[index]);
		const transport = slowResponses(clock, 300_000 / parts.length, partOf);
		const gateway = stubbedGateway({ clock, transport });
		const files: Buffer[] = [];
		const latest = { id: 'task-1', status: 'processing' };
		const wait: Parameters<typeof waitForTask>[0] = {
			get: async (signal, withinMs) =>
				await gateway.getVideoTask('task-1', signal, (video) => files.push(video), withinMs),
			task: { latest, submitted: latest, deadline: later(clock.wallTime(), maxWaitMs) },
			interval: 5_000,
			...(once && { pauses: { shortest: 65_000, allow: () => true } }),
		};
		const polled = waitForTask(wait, clock);
		const [outcome] = await clock.run(Promise.allSettled([polled]));
		return { outcome, files, tookMs: clock.now() - start };
	}

	test.each<[string, { once?: boolean; maxWaitMs?: number }]>([
		['by the one poll of a wait in the database', { once: true }],
		['if Max Wait ends meanwhile', { maxWaitMs: 60_000 }],
		['by the last poll', { maxWaitMs: 0 }],
	])('is whole %s', async (_when, settings) => {
		const { outcome, files } = await waitForVideo(settings);
		expect(outcome).toMatchObject({ value: { status: 'completed' } });
		expect(files.map((file) => file.equals(LARGE))).toEqual([true]);
	});

	test('is given up when nothing arrives for as long as Timeout', async () => {
		const { outcome, tookMs } = await waitForVideo({ once: true }, true);
		expect(outcome).toMatchObject({ status: 'fulfilled', value: undefined });
		expect(tookMs).toBeLessThan(80_000);
	});
});
