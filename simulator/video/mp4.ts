import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import type * as Mediabunny from 'mediabunny' with { 'resolution-mode': 'import' };
import { actualDuration, type VideoFormat } from './task';

// mediabunny ships a CommonJS bundle, but declares its types for ES modules only.
const mediabunny: typeof Mediabunny = createRequire(__filename)('mediabunny');
const { BufferSource, BufferTarget, EncodedPacketSink, EncodedVideoPacketSource } = mediabunny;

const MAX_CACHED = 24;
const FREE_BOX_HEADER = 8;
const cached = new Map<string, Promise<Buffer>>();

/** The clips in `assets`, with the words of a prompt that ask for each. */
const SCENES: Array<[name: string, asked: RegExp]> = [
	['autumn', /autumn|leaf|leaves|maple/i],
	['lighthouse', /lighthouse|night|star|storm|dark|city|neon|moon/i],
	['kite', /kite|field|wheat|forest|fog|wind|mountain|meadow|grass|bird|sun\b/i],
	['boat', /./s],
];

/** The clip that fits a prompt best. */
export function sceneOf(prompt: string): string {
	return SCENES.find(([, asked]) => asked.test(prompt))?.[0] ?? 'boat';
}

/** A playable MP4 (H.264) of this size, duration and frame rate. */
export function mp4File(format: VideoFormat, scene: string): Promise<Buffer> {
	const key = `${scene} ${format.size} ${actualDuration(format)} ${format.fps}`;
	let found = cached.get(key);
	if (!found) {
		found = mux(format, scene);
		cached.set(key, found);
		for (const oldest of cached.keys()) {
			if (cached.size <= MAX_CACHED) break;
			cached.delete(oldest);
		}
	}
	return found;
}

/** Appends a box of free space, which players skip, to make the file this large. */
export function padded(video: Buffer, bytes: number): Buffer {
	if (bytes < video.length + FREE_BOX_HEADER) return video;
	const file = Buffer.alloc(bytes);
	video.copy(file);
	file.writeUInt32BE(bytes - video.length, video.length);
	file.write('free', video.length + 4, 'latin1');
	return file;
}

// Each asset (drawn by `drawScenes.ts`) is one closed group of pictures without B-frames, so it can be repeated, retimed and
// cut after any frame without encoding.
async function mux(format: VideoFormat, scene: string): Promise<Buffer> {
	const asset = await readFile(join(__dirname, 'assets', `${scene}-${format.size}.mp4`));
	const input = new mediabunny.Input({
		source: new BufferSource(asset),
		formats: [mediabunny.MP4],
	});
	const track = await input.getPrimaryVideoTrack();
	const decoderConfig = await track?.getDecoderConfig();
	if (!track || !decoderConfig)
		throw new Error(`The ${scene}-${format.size} asset contains no video.`);
	const clip: Mediabunny.EncodedPacket[] = [];
	for await (const packet of new EncodedPacketSink(track).packets()) clip.push(packet);

	const target = new BufferTarget();
	const output = new mediabunny.Output({
		format: new mediabunny.Mp4OutputFormat({ fastStart: 'in-memory' }),
		target,
	});
	const source = new EncodedVideoPacketSource('avc');
	output.addVideoTrack(source, { frameRate: format.fps });
	await output.start();
	const frames = Math.round(format.duration * format.fps);
	for (let frame = 0; frame < frames; frame++) {
		const packet = clip[frame % clip.length];
		if (!packet) throw new Error(`The ${scene}-${format.size} asset contains no frames.`);
		const { data, type } = packet;
		const retimed = new mediabunny.EncodedPacket(data, type, frame / format.fps, 1 / format.fps);
		await source.add(retimed, { decoderConfig });
	}
	await output.finalize();
	if (!target.buffer) throw new Error('The MP4 was not written.');
	return Buffer.from(target.buffer);
}
