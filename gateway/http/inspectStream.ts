import { pipeline, type Readable, Transform } from 'node:stream';

/** A stream of bytes, as n8n's binary storage takes it. */
export type ByteStream = Readable;

/** Looks at every part of a stream, and says what is passed on in its place. */
export interface StreamInspector {
	/** @throws what the stream fails with */
	part(bytes: Buffer): Buffer | undefined;
	/** @throws what the stream fails with at its end */
	end(): Buffer | undefined;
}

/** Passes a stream on as an inspector has it. It fails when the source fails, and when `signal` is aborted. */
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
	// n8n's helper wraps the response in a stream that does not hear of its signal.
	signal.addEventListener('abort', () => source.destroy(new Error('aborted')), { once: true });
	// Unlike a bare pipe it also notices a source that broke before anyone listened to it.
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
