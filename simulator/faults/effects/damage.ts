import { gzipSync } from 'node:zlib';
import { withHeaders, type HttpResponse } from '../../httpResponse';
import { dripped, END, head, part, pause, RESET, STALL, type Step, whole } from '../../delivery';
import type { Effect } from '../fault';

type Deliver = Extract<Effect, { kind: 'damage' }>['deliver'];

const WHITESPACE = Buffer.alloc(64 * 1024, ' ');

export function damage(deliver: Deliver): Effect {
	return { kind: 'damage', deliver };
}

/** The head with these headers changed or, where undefined, left out. */
function headWith(
	{ status, headers, body }: HttpResponse,
	changes: Record<string, string | undefined> = {},
): Step {
	const length = String(body.length);
	const all = Object.entries({ ...headers, 'content-length': length, ...changes });
	const kept = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
	return head(status, Object.fromEntries(kept));
}

function firstHalf(body: Buffer): Buffer {
	return body.subarray(0, Math.floor(body.length / 2));
}

export function changedHeaders(changes: Record<string, string | undefined>): Effect {
	return damage((response) => [headWith(response, changes), part(response.body), END]);
}

/** Sends half the body under its full length, then `last` happens. */
export function half(last: Step): Effect {
	return damage((response, { breakMs }) => [
		headWith(response),
		part(firstHalf(response.body)),
		pause(breakMs),
		last,
	]);
}

/** Sends half the body, with the length of that half. */
export const cutShort = damage((response) =>
	whole({ ...response, body: firstHalf(response.body) }),
);

export const slowResponse = damage((response, { slowMs }) => [pause(slowMs), ...whole(response)]);

export const slowDrip = damage((response, { slowMs }) => dripped(response, slowMs));

/** Leading whitespace makes valid JSON of any size. */
export const oversized = damage(function* ({ status, headers, body }, { oversizedBytes }) {
	yield head(status, headers);
	for (let sent = 0; sent < oversizedBytes; sent += WHITESPACE.length) yield part(WHITESPACE);
	yield part(body);
	yield END;
});

/** A small response that is larger than `oversizedBytes` once it is decoded. */
export const gzipBomb = damage((response, { oversizedBytes }) => {
	const body = gzipSync(Buffer.concat([Buffer.alloc(oversizedBytes, ' '), response.body]));
	return whole(withHeaders({ ...response, body }, { 'content-encoding': 'gzip' }));
});

export const cutGzip = damage((response) => {
	const body = firstHalf(gzipSync(response.body));
	return whole(withHeaders({ ...response, body }, { 'content-encoding': 'gzip' }));
});

export const closeAfter = damage((response) => [
	...whole(withHeaders(response, { connection: 'keep-alive' })),
	RESET,
]);

export const lost = damage(() => [RESET]);

export const hang = damage(() => [STALL]);

/** The request is handled, and an intermediary sends this response instead of the service's. */
export function handled(response: HttpResponse): Effect {
	return damage(() => whole(response));
}

/** The same after this many milliseconds of the simulator's clock, which a test may stop. */
export function handledLate(response: HttpResponse, afterMs: number): Effect {
	return damage((_response, { nowMs }) => [
		{ kind: 'until', moment: nowMs + afterMs },
		...whole(response),
	]);
}

export function otherStatus(status: number): Effect {
	return damage((response) => whole({ ...response, status }));
}
