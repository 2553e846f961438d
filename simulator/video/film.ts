import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedPacket } from 'mediabunny' with { 'resolution-mode': 'import' };
import { mediabunny } from './mediabunny';

const { BufferSource, BufferTarget, EncodedPacketSink, EncodedVideoPacketSource } = mediabunny;

export interface FilmOrder {
	size: string;
	/** Seconds asked for. */
	duration: number;
	fps: number;
}

const FILMS_KEPT = 24;
const FREE_BOX_HEADER = 8;
const kept = new Map<string, Promise<Buffer>>();

/** Seconds a film of this order really lasts: a whole number of frames. */
export function filmDuration({ duration, fps }: FilmOrder): number {
	return Math.round(duration * fps) / fps;
}

/** A playable MP4 (H.264 test pattern) of the ordered size, length and frame rate. */
export function film(order: FilmOrder): Promise<Buffer> {
	const key = `${order.size} ${filmDuration(order)} ${order.fps}`;
	let found = kept.get(key);
	if (!found) {
		found = loopClip(order);
		kept.set(key, found);
		for (const oldest of kept.keys()) {
			if (kept.size <= FILMS_KEPT) break;
			kept.delete(oldest);
		}
	}
	return found;
}

/** The film with a box of free space behind it, which players skip: as large as wanted. */
export function enlarged(film: Buffer, bytes: number): Buffer {
	if (bytes < film.length + FREE_BOX_HEADER) return film;
	const file = Buffer.alloc(bytes);
	film.copy(file);
	file.writeUInt32BE(bytes - film.length, film.length);
	file.write('free', film.length + 4, 'latin1');
	return file;
}

// Each asset is one closed group of pictures without B-frames, so it may be repeated, retimed and
// cut after any frame without encoding anything.
async function loopClip(order: FilmOrder): Promise<Buffer> {
	const asset = await readFile(join(__dirname, 'assets', `${order.size}.mp4`));
	const input = new mediabunny.Input({
		source: new BufferSource(asset),
		formats: [mediabunny.MP4],
	});
	const track = await input.getPrimaryVideoTrack();
	const decoderConfig = await track?.getDecoderConfig();
	if (!track || !decoderConfig) throw new Error(`The ${order.size} asset holds no video.`);
	const clip: EncodedPacket[] = [];
	for await (const packet of new EncodedPacketSink(track).packets()) clip.push(packet);

	const target = new BufferTarget();
	const output = new mediabunny.Output({
		format: new mediabunny.Mp4OutputFormat({ fastStart: 'in-memory' }),
		target,
	});
	const source = new EncodedVideoPacketSource('avc');
	output.addVideoTrack(source, { frameRate: order.fps });
	await output.start();
	const frames = Math.round(order.duration * order.fps);
	for (let frame = 0; frame < frames; frame++) {
		const packet = clip[frame % clip.length];
		if (!packet) throw new Error(`The ${order.size} asset holds no frames.`);
		const { data, type } = packet;
		const retimed = new mediabunny.EncodedPacket(data, type, frame / order.fps, 1 / order.fps);
		await source.add(retimed, { decoderConfig });
	}
	await output.finalize();
	if (!target.buffer) throw new Error('The film was not written.');
	return Buffer.from(target.buffer);
}
