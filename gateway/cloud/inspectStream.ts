import type { ByteStream, inspectStream as InspectStream } from '../http/inspectStream';

/** Passes a stream through an inspection, without the streams of Node.js at hand. */
export const inspectStream: typeof InspectStream = (source, inspect, signal) => {
	const inspected = source.compose(inspect) as ByteStream;
	signal.addEventListener('abort', () => inspected.destroy(new Error('aborted')), { once: true });
	// Without a listener an error that comes before the first reader ends the process.
	return inspected.on('error', () => {});
};
