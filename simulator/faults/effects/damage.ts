import { gzipSync } from 'node:zlib';
import { withHeaders, type HttpResponse } from '../../httpResponse';
import type { Effect } from '../fault';
import type { ResponseWriter } from '../../responseWriter';

type Deliver = Extract<Effect, { kind: 'damage' }>['deliver'];

const DRIP_COUNT = 100;
/** How often a late response reads the clock, in milliseconds. */
const CLOCK_READ_MS = 5;

export function damage(deliver: Deliver): Effect {
	return { kind: 'damage', deliver };
}

/** Sends the head with these headers changed or, where undefined, left out. */
function sendHeadWith(changes: Record<string, string | undefined>): Deliver {
	return async (writer, { status, headers, body }) => {
		const length = String(body.length);
		const all = Object.entries({ ...headers, 'content-length': length, ...changes });
		const kept = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
		writer.sendHead(status, Object.fromEntries(kept));
	};
}

export function changedHeaders(changes: Record<string, string | undefined>): Effect {
	return damage(async (writer, response, context) => {
		await sendHeadWith(changes)(writer, response, context);
		await writer.send(response.body);
		await writer.end();
	});
}

/** Sends half the body under its full length, then calls `then`. */
export function half(then: (writer: ResponseWriter) => void | Promise<void>): Effect {
	return damage(async (writer, response, context) => {
		await sendHeadWith({})(writer, response, context);
		await writer.send(response.body.subarray(0, Math.floor(response.body.length / 2)));
		// An immediate reset could overtake the bytes.
		await writer.pause(5);
		await then(writer);
	});
}

/** Sends half the body, with the length of that half. */
export const cutShort = damage((writer, response) =>
	writer.sendAll({
		...response,
		body: response.body.subarray(0, Math.floor(response.body.length / 2)),
	}),
);

export const slowResponse = damage(async (writer, response, { slowMs }) => {
	await writer.pause(slowMs);
	await writer.sendAll(response);
});

export const slowDrip = damage(async (writer, response, context) => {
	await sendHeadWith({})(writer, response, context);
	const size = Math.ceil(response.body.length / DRIP_COUNT);
	for (let from = 0; from < response.body.length && !writer.isClosed; from += size) {
		await writer.send(response.body.subarray(from, from + size));
		await writer.pause(context.slowMs / DRIP_COUNT);
	}
	await writer.end();
});

/** Leading whitespace makes valid JSON of any size. */
export const oversized = damage(async (writer, response, { oversizedBytes }) => {
	writer.sendHead(response.status, response.headers);
	const whitespace = Buffer.alloc(64 * 1024, ' ');
	for (let sent = 0; sent < oversizedBytes && !writer.isClosed; sent += whitespace.length) {
		await writer.send(whitespace);
	}
	await writer.send(response.body);
	await writer.end();
});

/** A small response that is larger than `oversizedBytes` once it is decoded. */
export const gzipBomb = damage(async (writer, response, { oversizedBytes }) => {
	const body = gzipSync(Buffer.concat([Buffer.alloc(oversizedBytes, ' '), response.body]));
	await writer.sendAll(withHeaders({ ...response, body }, { 'content-encoding': 'gzip' }));
});

export const cutGzip = damage(async (writer, response) => {
	const gzipped = gzipSync(response.body);
	const body = gzipped.subarray(0, Math.floor(gzipped.length / 2));
	await writer.sendAll(withHeaders({ ...response, body }, { 'content-encoding': 'gzip' }));
});

export const closeAfter = damage(async (writer, response) => {
	await writer.sendAll(withHeaders(response, { connection: 'keep-alive' }));
	writer.reset();
});

export const lost = damage(async (writer: ResponseWriter) => writer.reset());

export const hang = damage((writer: ResponseWriter) => writer.stall());

/** The request is handled, and an intermediary sends this response instead of the service's. */
export function handled(response: HttpResponse): Effect {
	return damage((writer) => writer.sendAll(response));
}

/** The same after this many milliseconds of the simulator's clock, which a test may stop. */
export function handledLate(response: HttpResponse, afterMs: number): Effect {
	return damage(async (writer, _response, { nowMs, now }) => {
		while (now() - nowMs < afterMs && !writer.isClosed) await writer.pause(CLOCK_READ_MS);
		await writer.sendAll(response);
	});
}

export function otherStatus(status: number): Effect {
	return damage((writer, response) => writer.sendAll({ ...response, status }));
}
