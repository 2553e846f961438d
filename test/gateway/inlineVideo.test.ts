import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { InlineVideo, VideoTask } from '../../gateway';
import { stubbedGateway } from './stubbedGateway';

const SMALL = randomBytes(1_000);
/** Longer than any ordinary text of a task, so it is stored in a file. */
const LARGE = randomBytes(300_000);
const BASE64 = LARGE.toString('base64');

const escaped = (character: RegExp, escape: string) => (json: string) =>
	json.replace(character, escape);
const unchanged = (json: string) => json;

/** Reads a task whose JSON arrives in small packets, which split every value somewhere. */
async function fetchTask(task: object, write: (json: string) => string) {
	const bytes = Buffer.from(write(JSON.stringify({ id: 'task-1', status: 'completed', ...task })));
	const packets: Buffer[] = [];
	for (let start = 0; start < bytes.length; start += 1_009) {
		packets.push(bytes.subarray(start, start + 1_009));
	}
	const videos: InlineVideo[] = [];
	const keep = (video: InlineVideo) => void videos.push(video);
	const read: VideoTask = await stubbedGateway({ packets }).getVideoTask('task-1', undefined, keep);
	const files = await Promise.all(videos.map(async (video) => await bytesOf(video.read())));
	await Promise.all(videos.map(async (video) => await video.remove()));
	return { task: read, files };
}

const bytesOf = async (video: ReturnType<InlineVideo['read']>) =>
	Buffer.isBuffer(video) ? video : await buffer(video);

test.each([
	['in a field', { b64_json: BASE64 }, unchanged],
	['as a data URL', { url: `data:video/mp4;base64,${BASE64}` }, unchanged],
	['as a data URL in a field', { b64_json: `data:video/mp4;base64,${BASE64}` }, unchanged],
	['with escaped plus signs, as .NET writes JSON', { b64_json: BASE64 }, escaped(/\+/g, '\\u002B')],
	['with escaped slashes, as PHP writes JSON', { b64_json: BASE64 }, escaped(/\//g, '\\/')],
	['with escaped padding', { b64_json: BASE64 }, escaped(/=/g, '\\u003d')],
	['with line breaks', { b64_json: BASE64.replace(/.{76}/g, '$&\r\n') }, unchanged],
	[
		'after a text as long as a video',
		{ revised_prompt: 'A boat. '.repeat(40_000), b64_json: BASE64 },
		unchanged,
	],
])('an inline video %s is read byte for byte', async (_how, task, write) => {
	const { files } = await fetchTask(task, write);
	expect(files).toHaveLength(1);
	expect(files[0]?.equals(LARGE)).toBe(true);
});

test('a text as long as a video stays text', async () => {
	const text = 'A "boat" \\ drifts.\n'.repeat(20_000);
	const { task, files } = await fetchTask({ revised_prompt: text }, unchanged);
	expect(files).toEqual([]);
	expect(task.revised_prompt).toBe(text);
});

test.each([
	['in a field', { b64_json: SMALL.toString('base64') }],
	['as a data URL', { url: `data:video/mp4;base64,${SMALL.toString('base64')}` }],
	['as a data URL in a field', { b64_json: `data:;base64,${SMALL.toString('base64')}` }],
	['deep in the task', { data: [{ b64_json: SMALL.toString('base64') }] }],
])('a small inline video %s is read byte for byte', async (_how, task) => {
	const { files } = await fetchTask(task, unchanged);
	expect(files).toHaveLength(1);
	expect(files[0]?.equals(SMALL)).toBe(true);
});
