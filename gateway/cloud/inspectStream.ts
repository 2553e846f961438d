import type { ByteStream, inspectStream as InspectStream } from '../http/inspectStream';

/** What every class of streams has. */
interface StreamClass {
	from(parts: AsyncIterable<Buffer>): ByteStream;
}

/**
 * Passes a stream on as an inspector has it, without the streams of Node.js at hand. A composed stream would fail before it
 * has a reader: with Node.js 20 that ends the process.
 */
export const inspectStream: typeof InspectStream = (source, inspector, signal) => {
	async function* inspected(parts: AsyncIterable<Buffer>) {
		for await (const part of parts) {
			const passed = inspector.part(part);
			if (passed !== undefined) yield passed;
		}
		const rest = inspector.end();
		if (rest !== undefined) yield rest;
	}
	signal.addEventListener('abort', () => source.destroy(new Error('aborted')), { once: true });
	return (source.constructor as unknown as StreamClass).from(inspected(source));
};
