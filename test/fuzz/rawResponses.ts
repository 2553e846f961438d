import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Gateway } from '../../gateway';
import { gatewayAt } from '../gateway/inMemory';
import { CALLS } from './calls';
import { outcomeOf } from './property';
import { head, type RawResponse } from '../engine/rawServer';
import { useRawServer } from '../engine/useServers';

/** The service. The gateway receives its responses over a real socket. */
export const service = useRawServer();
let gateways = 0;

/** How a response is sent. */
export interface Delivery {
	framing: 'length' | 'chunked' | 'until close';
	/** Whether the connection is closed after it, also where that does not end the body. */
	closes: boolean;
	encoding: keyof typeof ENCODERS;
	/** Positions at which the response is split into packets. */
	cuts: number[];
	separateHead: boolean;
	/** The number of interim responses before it. */
	interim: number;
}

const ENCODERS = {
	identity: (bytes: Buffer) => bytes,
	gzip: (bytes: Buffer) => gzipSync(bytes),
	br: (bytes: Buffer) =>
		brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

export const delivery: fc.Arbitrary<Delivery> = fc.record({
	framing: fc.constantFrom('length', 'chunked', 'until close'),
	closes: fc.boolean(),
	encoding: fc.constantFrom('identity', 'identity', 'gzip', 'br'),
	cuts: fc.array(fc.nat(1_000_000), { maxLength: 12 }),
	separateHead: fc.boolean(),
	interim: fc.constantFrom(0, 0, 0, 1, 2),
});

export interface SentResponse {
	status: number;
	headers?: Record<string, string>;
	body: Buffer;
}

/** The packets of a response. */
export function deliver(
	{ status, headers, body }: SentResponse,
	{ framing, closes, encoding, cuts, separateHead, interim }: Delivery,
): RawResponse {
	const bytes = ENCODERS[encoding](body);
	const last = head(`${status} Whatever`, {
		...headers,
		...(encoding !== 'identity' && { 'content-encoding': encoding }),
		...(framing === 'length' && { 'content-length': String(bytes.length) }),
		...(framing === 'chunked' && { 'transfer-encoding': 'chunked' }),
		...((closes || framing === 'until close') && { connection: 'close' }),
	});
	const hints = Array.from({ length: interim }, (_, at) =>
		at === 0 ? head('100 Continue') : head('103 Early Hints', { link: '</>' }),
	);
	const start = Buffer.concat([...hints, last]);
	const framed = framing === 'chunked' ? chunked(split(bytes, cuts)) : bytes;
	const packets = split(framed, cuts);
	const [first = Buffer.alloc(0), ...others] = packets;
	return {
		packets: separateHead ? [start, ...packets] : [Buffer.concat([start, first]), ...others],
		// Responses with these statuses have no body. Sent anyway, it makes the connection unusable.
		...((closes || framing === 'until close' || status === 204 || status === 304) && {
			then: 'ends',
		}),
	};
}

function chunked(parts: Buffer[]): Buffer {
	const lineEnd = Buffer.from('\r\n');
	const chunks = parts.flatMap((part) => [
		Buffer.from(`${part.length.toString(16)}\r\n`),
		part,
		lineEnd,
	]);
	return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

function split(bytes: Buffer, cuts: number[]): Buffer[] {
	if (bytes.length === 0) return [];
	const ends = [...new Set([...cuts.map((cut) => cut % bytes.length), 0, bytes.length])];
	ends.sort((a, b) => a - b);
	return ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
}

/** A gateway that receives this response. */
export function gatewayReceiving(response: RawResponse): Gateway {
	service.respond = () => response;
	// A service of its own, because a rate limiter is shared per service and key.
	return gatewayAt(`${service.url}/${(gateways += 1)}`, { maxConcurrency: 1 });
}

/** The outcome of a call that receives this response. */
export async function receive(name: string, response: RawResponse) {
	const gateway = gatewayReceiving(response);
	return await outcomeOf(async () => await CALLS[name]!(gateway));
}
