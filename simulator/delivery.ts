import type { Encoding } from './encoding';
import type { HttpResponse } from './httpResponse';

/** One thing that happens to a response on its way. */
export type Step =
	/** Status and headers. With an encoding, the body is compressed and flushed at every part. */
	| { kind: 'head'; status: number; headers: Record<string, string>; encoding?: Encoding }
	/** A part of the body, in a packet of its own. */
	| { kind: 'bytes'; bytes: string | Uint8Array }
	| { kind: 'pause'; ms: number }
	/** Until this moment of the simulator's clock, in milliseconds since 1970. */
	| { kind: 'until'; moment: number }
	/** The response is complete. */
	| { kind: 'end' }
	/** Nothing more, until one side closes the connection. */
	| { kind: 'stall' }
	/** The connection is closed in an orderly way, even if the announced length was not sent. */
	| { kind: 'close' }
	/** The connection is reset. */
	| { kind: 'reset' };

/** A response as data. It is read step by step, so an endless one takes no memory. */
export type Delivery = Iterable<Step>;

/** Encrypting a large file as a whole would keep it in memory twice. */
const MAX_PART_BYTES = 2 ** 20;

export const END: Step = { kind: 'end' };
export const RESET: Step = { kind: 'reset' };
export const STALL: Step = { kind: 'stall' };
export const CLOSE: Step = { kind: 'close' };

export function head(status: number, headers: Record<string, string>, encoding?: Encoding): Step {
	return { kind: 'head', status, headers, ...(encoding && { encoding }) };
}

export function part(bytes: string | Uint8Array): Step {
	return { kind: 'bytes', bytes };
}

export function pause(ms: number): Step {
	return { kind: 'pause', ms };
}

/** A complete response with its length. */
export function* whole({ status, headers, body }: HttpResponse): Delivery {
	yield head(status, { ...headers, 'content-length': String(body.length) });
	for (let from = 0; from < body.length; from += MAX_PART_BYTES) {
		yield part(body.length <= MAX_PART_BYTES ? body : body.subarray(from, from + MAX_PART_BYTES));
	}
	yield END;
}

const DRIPS = 100;

/** A complete response whose body arrives little by little. */
export function* dripped({ status, headers, body }: HttpResponse, ms: number): Delivery {
	yield head(status, { ...headers, 'content-length': String(body.length) });
	const size = Math.ceil(body.length / DRIPS);
	for (let from = 0; from < body.length; from += size) {
		yield part(body.subarray(from, from + size));
		yield pause(ms / DRIPS);
	}
	yield END;
}

/** The events of a stream, each in a packet of its own. */
export function* streamed(
	{ status, headers, events = [] }: HttpResponse,
	pauseMs: number,
	encoding?: Encoding,
): Delivery {
	yield head(status, headers, encoding);
	for (const text of events) {
		yield part(text);
		if (pauseMs > 0) yield pause(pauseMs);
	}
	yield END;
}
