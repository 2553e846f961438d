import { isStream } from '../dialects';
import { GatewayError, isMalformed, malformedBody } from '../errors/gatewayError';
import { header } from '../errors/namedWait';
import { ByteBuffer, hasContent, isWholeJson, MAX_ANSWER_BYTES } from '../http/body';
import type { ServiceResponse } from '../serviceRequest';
import { SseEvents, type StreamEvent } from './sseEvents';

/** No answer comes near this, and a stream that never ends must not fill the memory. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;

/** How long the rest of a stream after `[DONE]` may take before the connection is closed instead of reused. */
const DRAIN_MS = 1_000;

/** What reads the events of a stream. */
interface EventReader {
	/** @returns whether the event adds to the answer */
	add: (event: StreamEvent) => boolean;
	/** @returns whether nothing of the answer is missing if the stream ends here */
	end: () => boolean;
}

/** How a body ended: a stream, or the bytes of anything else. */
type EventsRead = { isDone: boolean; whole: undefined } | { isDone: false; whole: Buffer };

/**
 * Reads a body as an event stream up to `[DONE]` or its end, or as a whole if it is none. A loss behind a whole answer is ignored.
 * @throws what the reader throws, and GatewayError for a body that breaks off
 */
export async function readEvents(
	response: ServiceResponse,
	reader: EventReader,
): Promise<EventsRead> {
	/** The body, as long as it does not look like a stream. */
	const beginning = new ByteBuffer();
	let events: SseEvents | undefined;
	let size = 0;
	const take = (received: Buffer): boolean => {
		size += received.length;
		if (size > MAX_STREAM_BYTES) throw endless();
		let bytes = received;
		if (events === undefined) {
			if (beginning.length === 0) bytes = withoutBlankStart(received);
			beginning.add(bytes);
			if (startsStream(response, streamStart(beginning.bytes))) {
				events = new SseEvents(response);
				bytes = beginning.take();
			}
		}
		const adds = events ? events.push(bytes).map(reader.add).includes(true) : hasContent(bytes);
		response.onProgress(adds, received.length);
		return beginning.length <= MAX_ANSWER_BYTES;
	};
	return await new Promise((resolve, reject) => {
		let stopDraining = () => {};
		const finish = () =>
			resolve(
				events
					? { isDone: events.isDone, whole: undefined }
					: { isDone: false, whole: beginning.bytes },
			);
		const read = response.body.read((bytes) => {
			if (events?.isDone) return;
			const goesOn = take(bytes);
			if (!events?.isDone) return goesOn;
			finish();
			// A body that is read to its end frees its connection for the next request.
			stopDraining = response.clock.after(DRAIN_MS, () => response.body.destroy());
			return undefined;
		});
		void read
			.then(() => {
				events?.end().forEach(reader.add);
				finish();
			})
			.catch((error: unknown) => {
				const isWhole = events ? reader.end() : isWholeJson(beginning.bytes);
				// Without a Content-Length, a cut connection looks like the end of the body: then the last event is not JSON.
				const isOfService = error instanceof GatewayError && !isMalformed(error);
				if (isWhole && !isOfService) finish();
				else reject(error as Error);
			})
			.catch(reject)
			.finally(() => stopDraining());
	});
}

/** Whether a body begins as a stream does: with data, or where its type says so, with a comment or another field. */
function startsStream({ headers }: ServiceResponse, start: string): boolean {
	const type = header(headers, 'content-type')?.toLowerCase() ?? '';
	const isOfType = type.startsWith('text/event-stream');
	return start.startsWith('data:') || (isOfType && /^[a-z]*:/.test(start)) || isStream(start);
}

/** How a body begins. */
function streamStart(body: Buffer): string {
	return body.toString('utf8', 0, 1_024).replace(/^\ufeff?\s*/, '');
}

/** Spaces and line breaks before a response only keep the connection alive. */
function withoutBlankStart(bytes: Buffer): Buffer {
	const start = bytes.findIndex((byte) => byte > 0x20);
	return bytes.subarray(start === -1 ? bytes.length : start);
}

function endless(): GatewayError {
	const size = `(more than ${MAX_STREAM_BYTES / 1024 / 1024} MiB)`;
	return malformedBody('The stream does not end', size);
}
