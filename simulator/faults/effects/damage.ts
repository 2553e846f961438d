import { gzipSync } from 'node:zlib';
import { withHeaders, type Answer } from '../../answer';
import type { Effect } from '../fault';
import type { RawResponse } from '../../rawResponse';

type Deliver = Extract<Effect, { kind: 'damage' }>['deliver'];

const DRIPS = 100;
/** How often a late answer reads the clock, in milliseconds. */
const CLOCK_READ_MS = 5;

export function damage(deliver: Deliver): Effect {
	return { kind: 'damage', deliver };
}

/** Starts the answer with a header changed or, when undefined, left out. */
function startWith(changes: Record<string, string | undefined>): Deliver {
	return async (wire, { status, headers, body }) => {
		const length = String(body.length);
		const all = Object.entries({ ...headers, 'content-length': length, ...changes });
		const kept = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
		wire.start(status, Object.fromEntries(kept));
	};
}

export function changedHeaders(changes: Record<string, string | undefined>): Effect {
	return damage(async (wire, answer, context) => {
		await startWith(changes)(wire, answer, context);
		await wire.send(answer.body);
		await wire.end();
	});
}

/** Half the answer under its full length, then `then`. */
export function half(then: (wire: RawResponse) => void | Promise<void>): Effect {
	return damage(async (wire, answer, context) => {
		await startWith({})(wire, answer, context);
		await wire.send(answer.body.subarray(0, Math.floor(answer.body.length / 2)));
		// A reset at once could overtake the bytes before it.
		await wire.pause(5);
		await then(wire);
	});
}

/** Half the body, and a length that agrees. */
export const cutShort = damage((wire, answer) =>
	wire.whole({ ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length / 2)) }),
);

export const slowAnswer = damage(async (wire, answer, { slowMs }) => {
	await wire.pause(slowMs);
	await wire.whole(answer);
});

export const slowDrip = damage(async (wire, answer, context) => {
	await startWith({})(wire, answer, context);
	const size = Math.ceil(answer.body.length / DRIPS);
	for (let from = 0; from < answer.body.length && !wire.gone; from += size) {
		await wire.send(answer.body.subarray(from, from + size));
		await wire.pause(context.slowMs / DRIPS);
	}
	await wire.end();
});

/** White space before the answer keeps it valid JSON of any size. */
export const oversized = damage(async (wire, answer, { oversizedBytes }) => {
	wire.start(answer.status, answer.headers);
	const blanks = Buffer.alloc(64 * 1024, ' ');
	for (let sent = 0; sent < oversizedBytes && !wire.gone; sent += blanks.length) {
		await wire.send(blanks);
	}
	await wire.send(answer.body);
	await wire.end();
});

/** A small answer that grows to `oversizedBytes` when it is decoded. */
export const gzipBomb = damage(async (wire, answer, { oversizedBytes }) => {
	const body = gzipSync(Buffer.concat([Buffer.alloc(oversizedBytes, ' '), answer.body]));
	await wire.whole(withHeaders({ ...answer, body }, { 'content-encoding': 'gzip' }));
});

export const cutGzip = damage(async (wire, answer) => {
	const whole = gzipSync(answer.body);
	const body = whole.subarray(0, Math.floor(whole.length / 2));
	await wire.whole(withHeaders({ ...answer, body }, { 'content-encoding': 'gzip' }));
});

export const closeAfter = damage(async (wire, answer) => {
	await wire.whole(withHeaders(answer, { connection: 'keep-alive' }));
	wire.reset();
});

export const lost = damage(async (wire: RawResponse) => wire.reset());

export const hang = damage((wire: RawResponse) => wire.silence());

/** The request is handled, and something in between answers in place of the service. */
export function handled(answer: Answer): Effect {
	return damage((wire) => wire.whole(answer));
}

/** The same, seconds later: milliseconds of the simulator's own clock, which a test may hold. */
export function handledLate(answer: Answer, afterMs: number): Effect {
	return damage(async (wire, _answer, { nowMs, now }) => {
		while (now() - nowMs < afterMs && !wire.gone) await wire.pause(CLOCK_READ_MS);
		await wire.whole(answer);
	});
}

export function otherStatus(status: number): Effect {
	return damage((wire, answer) => wire.whole({ ...answer, status }));
}
