import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator, type Simulator } from '../../simulator';
import { exchange, get, jsonOf, post, videoRequest, submitVideo, VIDEO } from './client';

const DAY = 24 * 3600 * 1000;

/** The top-level boxes of an MP4, and the duration in its movie header. */
function readMp4(file: Buffer) {
	const boxes: string[] = [];
	for (let at = 0; at + 8 <= file.length; at += file.readUInt32BE(at)) {
		boxes.push(file.toString('latin1', at + 4, at + 8));
	}
	const header = file.indexOf('mvhd') + 4;
	const long = file[header] === 1;
	const scale = file.readUInt32BE(header + (long ? 20 : 12));
	const length = long ? Number(file.readBigUInt64BE(header + 24)) : file.readUInt32BE(header + 16);
	const track = file.indexOf('tkhd') + 4;
	const size = track + (file[track] === 1 ? 88 : 76);
	const frames = file.readUInt32BE(file.indexOf('stsz') + 12);
	return { boxes, seconds: length / scale, height: file.readUInt16BE(size + 4), frames };
}

describe('a video from the simulator', () => {
	let simulator: Simulator;
	let now: number;

	beforeEach(async () => {
		now = Date.UTC(2025, 5, 1);
		simulator = await startSimulator({ videoSeconds: 100, now: () => now });
	});
	afterEach(() => simulator.close());

	const poll = async (id: string, path = VIDEO) => jsonOf(await get(simulator, `${path}/${id}`));

	it('is submitted as n tasks with the status processing', async () => {
		const response = await post(simulator, VIDEO, { ...videoRequest, n: 3 });
		expect(response.status).toBe(200);
		const entry = {
			id: expect.any(String),
			status: 'processing',
			url: null,
			revised_prompt: expect.stringContaining(videoRequest.prompt),
		};
		expect(jsonOf(response)).toEqual({
			id: expect.any(String),
			object: 'video.generation',
			created: now / 1000,
			model: videoRequest.model,
			data: [entry, entry, entry],
		});
		expect(simulator.submissions).toBe(1);
		expect(simulator.tasks).toHaveLength(3);
	});

	it('is queued, then processing with rising progress, then completed', async () => {
		const id = await submitVideo(simulator);
		const common = {
			id,
			revised_prompt: expect.any(String),
			created_at: now / 1000,
			metadata: { duration: 2, size: '720p', fps: 24, format: 'mp4' },
		};
		expect(await poll(id)).toEqual({ ...common, status: 'queued', progress: 0, url: null });
		now += 30_000;
		expect(await poll(id)).toEqual({ ...common, status: 'processing', progress: 17, url: null });
		now += 50_000;
		expect(await poll(id)).toEqual({ ...common, status: 'processing', progress: 76, url: null });
		now += 20_000;
		expect(await poll(id)).toEqual({
			...common,
			status: 'completed',
			progress: 100,
			url: `${simulator.url}/files/${id}.mp4`,
			completed_at: now / 1000,
		});
	});

	it.each([
		{ size: '480p', duration: 2, fps: 24 },
		{ size: '720p', duration: 3.5, fps: 30 },
		{ size: '1080p', duration: 10, fps: 60 },
	])('is a valid MP4 of the requested size and duration: %j', async (format) => {
		const id = await submitVideo(simulator, { ...videoRequest, ...format });
		now += 100_000;
		const response = await exchange(`${simulator.url}/files/${id}.mp4`);
		expect(response.headers).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': String(response.body.length),
		});
		const { boxes, seconds, height, frames } = readMp4(response.body);
		expect(boxes).toEqual(['ftyp', 'moov', 'mdat']);
		expect(seconds).toBeCloseTo(format.duration, 2);
		expect(`${height}p`).toBe(format.size);
		expect(frames).toBe(format.duration * format.fps);
	});

	it('is deleted after seven days', async () => {
		const id = await submitVideo(simulator);
		now += 7 * DAY;
		expect(await poll(id)).toMatchObject({ status: 'completed' });
		now += 1;
		expect(await poll(id)).toMatchObject({ code: 'task_not_found' });
	});

	it('is there again after a restart with the same file of tasks', async () => {
		const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
		const options = { videoSeconds: 100, now: () => now, tasksFile: join(folder, 'tasks.json') };
		const first = await startSimulator(options);
		const id = await submitVideo(first);
		await first.close();
		now += 100_000;
		const second = await startSimulator(options);
		const video = jsonOf(await get(second, `${VIDEO}/${id}`));
		expect(video).toMatchObject({ status: 'completed', url: expect.stringContaining(second.url) });
		expect(readMp4((await get(second, `/files/${id}.mp4`)).body).seconds).toBeGreaterThan(1);
		await second.close();
		await rm(folder, { recursive: true });
	});
});
