import { pipeline, type Readable, Transform } from 'node:stream';

/** A stream of bytes, as n8n's binary storage takes it. */
export type ByteStream = Readable;

/** Inspects every part of a stream and returns what to pass on instead. */
export interface StreamInspector {
	/** @throws what the stream fails with */
	part(bytes: Buffer): Buffer | undefined;
	/** @throws what the stream fails with at its end */
	end(): Buffer | undefined;
}

/** Passes a stream through an inspector. It fails when the source fails, and when `signal` is aborted. */
export function inspectStream(
	source: ByteStream,
	inspector: StreamInspector,
	signal: AbortSignal,
): ByteStream {
	const inspected = new Transform({
		transform(bytes: Buffer, _encoding, done) {
			attempt(() => inspector.part(bytes), done);
		},
		flush(done) {
			attempt(() => inspector.end(), done);
		},
	});
	// n8n's helper wraps the response in a stream that ignores its signal.
	signal.addEventListener('abort', () => source.destroy(new Error('aborted')), { once: true });
	// Unlike a bare pipe, this also notices a source that failed before it had a listener.
	pipeline(source, inspected, () => {});
	return inspected;
}

function attempt(
	work: () => Buffer | undefined,
	done: (error: Error | null, bytes?: Buffer) => void,
): void {
	let bytes: Buffer | undefined;
	try {
		bytes = work();
	} catch (error) {
		return done(error as Error);
	}
	done(null, bytes);
}
