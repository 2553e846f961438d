import { startSimulator, type Simulator } from '../../simulator';
import { exchange, get, jsonOf, keyOf, post, scene, submitted, VIDEO } from './client';

const DAY = 24 * 3600 * 1000;

/** The first-level boxes of an MP4, and its length in seconds as the movie header has it. */
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

	it('is submitted as n tasks that are processing', async () => {
		const seen = await post(simulator, VIDEO, { ...scene, n: 3 });
		expect(seen.status).toBe(200);
		const entry = {
			id: expect.any(String),
			status: 'processing',
			url: null,
			revised_prompt: expect.stringContaining(scene.prompt),
		};
		expect(jsonOf(seen)).toEqual({
			id: expect.any(String),
			object: 'video.generation',
			created: now / 1000,
			model: scene.model,
			data: [entry, entry, entry],
		});
		expect(simulator.submissions).toBe(1);
		expect(simulator.tasks).toHaveLength(3);
	});

	it('is queued, then processing with rising progress, then completed', async () => {
		const id = await submitted(simulator);
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

	it('can be submitted and asked for under both path prefixes', async () => {
		await post(simulator, '/v1/video/generations', scene);
		const id = simulator.tasks[0]?.id ?? '';
		expect(await poll(id, '/v1/video/generations')).toEqual(await poll(id));
	});

	it.each([
		{ size: '480p', duration: 2, fps: 24 },
		{ size: '720p', duration: 3.5, fps: 30 },
		{ size: '1080p', duration: 10, fps: 60 },
	])('is a playable MP4 of the asked size and length: %j', async (order) => {
		const id = await submitted(simulator, { ...scene, ...order });
		now += 100_000;
		const seen = await exchange(`${simulator.url}/files/${id}.mp4`);
		expect(seen.headers).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': String(seen.body.length),
		});
		const { boxes, seconds, height, frames } = readMp4(seen.body);
		expect(boxes).toEqual(['ftyp', 'moov', 'mdat']);
		expect(seconds).toBeCloseTo(order.duration, 2);
		expect(`${height}p`).toBe(order.size);
		expect(frames).toBe(order.duration * order.fps);
	});

	it('comes inside the task when asked for as b64_json', async () => {
		const id = await submitted(simulator, { ...scene, response_format: 'b64_json' });
		now += 100_000;
		const task = await poll(id);
		const file = (await exchange(`${simulator.url}/files/${id}.mp4`)).body;
		expect(task).toMatchObject({ url: null, b64_json: file.toString('base64') });
	});

	describe('file', () => {
		let file: string;

		beforeEach(async () => {
			file = `${simulator.url}/files/${await submitted(simulator)}.mp4`;
		});

		it('is not there before the task is completed', async () => {
			expect((await exchange(file)).status).toBe(404);
		});

		it('refuses a request that carries a key', async () => {
			now += 100_000;
			expect((await exchange(file, { headers: keyOf(simulator) })).status).toBe(400);
		});

		it('answers HEAD with the length and no body', async () => {
			now += 100_000;
			const { body } = await exchange(file);
			const head = await exchange(file, { method: 'HEAD' });
			expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
			expect(head.headers['content-length']).toBe(String(body.length));
		});

		it.each([
			['bytes=0-9', 0, 10],
			['bytes=100-', 100, undefined],
			['bytes=-50', -50, undefined],
		])('answers a range: %s', async (range, from, to) => {
			now += 100_000;
			const whole = (await exchange(file)).body;
			const part = await exchange(file, { headers: { range } });
			expect(part.status).toBe(206);
			expect(part.body.equals(whole.subarray(from, to))).toBe(true);
		});

		it('refuses a range past its end', async () => {
			now += 100_000;
			expect((await exchange(file, { headers: { range: 'bytes=9999999-' } })).status).toBe(416);
		});
	});

	it('has a file as large as wanted, which plays as before', async () => {
		const large = await startSimulator({ videoSeconds: 0, videoBytes: 1_500_000 });
		const { body } = await exchange(`${large.url}/files/${await submitted(large)}.mp4`);
		await large.close();
		expect(body).toHaveLength(1_500_000);
		expect(readMp4(body)).toMatchObject({ boxes: ['ftyp', 'moov', 'mdat', 'free'], seconds: 2 });
	});

	it('takes its time from a range, over which tasks are spread', async () => {
		const spread = await startSimulator({ videoSeconds: [60, 120], now: () => now });
		const begun = now;
		const done = (id: string) => async () => {
			const task = jsonOf(await get(spread, `${VIDEO}/${id}`));
			return (task as { status: string }).status === 'completed';
		};
		const tasks: Array<() => Promise<boolean>> = [];
		for (let task = 0; task < 10; task += 1) tasks.push(done(await submitted(spread)));
		const finished = async (seconds: number) => {
			now = begun + 1000 * seconds;
			return (await Promise.all(tasks.map(async (isDone) => await isDone()))).filter(Boolean)
				.length;
		};
		expect(await finished(59)).toBe(0);
		expect([4, 5, 6]).toContain(await finished(90));
		expect(await finished(120)).toBe(10);
		await spread.close();
	});

	it('is forgotten after seven days', async () => {
		const id = await submitted(simulator);
		now += 7 * DAY;
		expect(await poll(id)).toMatchObject({ status: 'completed' });
		now += 1;
		expect(await poll(id)).toMatchObject({ code: 'task_not_found' });
	});

	it('is forgotten first when there are too many', async () => {
		const small = await startSimulator({ tasksKept: 2 });
		await submitted(small, { ...scene, prompt: 'first' });
		await submitted(small, { ...scene, prompt: 'others', n: 2 });
		expect(small.tasks.map(({ prompt }) => prompt)).toEqual(['others', 'others']);
		await small.close();
	});
});
