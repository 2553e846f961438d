import { PassThrough, pipeline, type Readable } from 'node:stream';

/** A stream of bytes, as n8n's binary storage takes it. */
export type ByteStream = Readable;

/** Gets the parts of a stream, and yields what to pass on instead. What it throws, the stream fails with. */
export type Inspect = (parts: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

/** Passes a stream through an inspection. It fails when the source fails, and when `signal` is aborted. */
export function inspectStream(
	source: ByteStream,
	inspect: Inspect,
	signal: AbortSignal,
): ByteStream {
	// n8n's helper wraps the response in a stream that ignores its signal.
	signal.addEventListener('abort', () => source.destroy(new Error('aborted')), { once: true });
	const inspected = new PassThrough();
	// Unlike a stream of the generator alone, this one can be destroyed while the source sends nothing.
	pipeline(source, inspect, inspected, () => {});
	return inspected;
}
