import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { InlineVideo, VideoTask } from '../../gateway';
import { answeringGateway } from './answeringGateway';

const SMALL = randomBytes(1_000);
/** Longer than any usual text of a task, so that it goes to a file. */
const FILM = randomBytes(300_000);
const BASE64 = FILM.toString('base64');

const escaped = (sign: RegExp, escape: string) => (json: string) => json.replace(sign, escape);
const asItIs = (json: string) => json;

/** Asks for a task whose JSON arrives in packets that divide everything somewhere. */
async function fetchTask(task: object, write: (json: string) => string) {
	const bytes = Buffer.from(write(JSON.stringify({ id: 'task-1', status: 'completed', ...task })));
	const packets: Buffer[] = [];
	for (let start = 0; start < bytes.length; start += 1_009) {
		packets.push(bytes.subarray(start, start + 1_009));
	}
	const videos: InlineVideo[] = [];
	const keep = (video: InlineVideo) => void videos.push(video);
	const read: VideoTask = await answeringGateway({ packets }).getVideoTask(
		'task-1',
		undefined,
		keep,
	);
	const films = await Promise.all(videos.map(async (video) => await bytesOf(video.read())));
	await Promise.all(videos.map(async (video) => await video.remove()));
	return { task: read, films };
}

const bytesOf = async (video: ReturnType<InlineVideo['read']>) =>
	Buffer.isBuffer(video) ? video : await buffer(video);

test.each([
	['in a field', { b64_json: BASE64 }, asItIs],
	['as a data address', { url: `data:video/mp4;base64,${BASE64}` }, asItIs],
	['as a data address in a field', { b64_json: `data:video/mp4;base64,${BASE64}` }, asItIs],
	['with escaped plus signs, as .NET writes JSON', { b64_json: BASE64 }, escaped(/\+/g, '\\u002B')],
	['with escaped slashes, as PHP writes JSON', { b64_json: BASE64 }, escaped(/\//g, '\\/')],
	['with escaped padding', { b64_json: BASE64 }, escaped(/=/g, '\\u003d')],
	['in lines', { b64_json: BASE64.replace(/.{76}/g, '$&\r\n') }, asItIs],
	[
		'after a text as long as a video',
		{ revised_prompt: 'A boat. '.repeat(40_000), b64_json: BASE64 },
		asItIs,
	],
])('an inline video that the service sends %s arrives byte for byte', async (_how, task, write) => {
	const { films } = await fetchTask(task, write);
	expect(films).toHaveLength(1);
	expect(films[0]?.equals(FILM)).toBe(true);
});

test('a text as long as a video stays a text', async () => {
	const text = 'A "boat" \\ drifts.\n'.repeat(20_000);
	const { task, films } = await fetchTask({ revised_prompt: text }, asItIs);
	expect(films).toEqual([]);
	expect(task.revised_prompt).toBe(text);
});

test.each([
	['in a field', { b64_json: SMALL.toString('base64') }],
	['as a data address', { url: `data:video/mp4;base64,${SMALL.toString('base64')}` }],
	['as a data address in a field', { b64_json: `data:;base64,${SMALL.toString('base64')}` }],
	['deep in the task', { data: [{ b64_json: SMALL.toString('base64') }] }],
])('a small inline video that the service sends %s arrives byte for byte', async (_how, task) => {
	const { films } = await fetchTask(task, asItIs);
	expect(films).toHaveLength(1);
	expect(films[0]?.equals(SMALL)).toBe(true);
});
