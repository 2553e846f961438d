import type { ByteStream, inspectStream as InspectStream } from '../http/inspectStream';

/** Passes a stream on as an inspector has it, without the streams of Node.js at hand. */
export const inspectStream: typeof InspectStream = (source, inspector, signal) => {
	const inspected = source.compose(async function* (parts: AsyncIterable<Buffer>) {
		for await (const part of parts) {
			const passed = inspector.part(part);
			if (passed !== undefined) yield passed;
		}
		const rest = inspector.end();
		if (rest !== undefined) yield rest;
	}) as ByteStream;
	signal.addEventListener('abort', () => inspected.destroy(new Error('aborted')), { once: true });
	// Without a listener an error that comes before the first reader ends the process.
	return inspected.on('error', () => {});
};
