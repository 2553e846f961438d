import type { ByteStream, inspectStream as InspectStream } from '../http/inspectStream';

/** Passes a stream on as an inspector has it, without the streams of Node.js at hand. */
export const inspectStream: typeof InspectStream = (source, inspector, signal) => {
	const inspected = source.compose(async function* (parts: AsyncIterable<Buffer>) {
		let isWhole = false;
		try {
			for await (const part of parts) {
				const passed = inspector.part(part);
				if (passed !== undefined) yield passed;
			}
			const rest = inspector.end();
			isWhole = true;
			if (rest !== undefined) yield rest;
		} finally {
			// A reader that fails destroys the stream first.
			if (!isWhole && !inspected.destroyed) inspector.fail();
		}
	}) as ByteStream;
	const abort = () => {
		inspector.fail();
		inspected.destroy(new Error('aborted'));
	};
	signal.addEventListener('abort', abort, { once: true });
	// Without a listener an error that comes before the first reader ends the process.
	return inspected.on('error', () => {});
};
