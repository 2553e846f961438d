import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Gateway, parseCredential } from '../../gateway';
import { CALLS } from './calls';
import { outcomeOf } from './property';
import { head, type RawResponse, RawServer } from '../engine/rawServer';

export const MARKER = 'marker-Key/of+tests=0815';

/** The service that answers the cases, one at a time: what is received goes through all of the real transport. */
export const service = new RawServer();
let gateways = 0;

/** How an answer travels. */
export interface Delivery {
	framing: 'length' | 'chunked' | 'until the end';
	encoding: keyof typeof ENCODERS;
	/** Where the answer is cut into packets: each a place anywhere in it. */
	cuts: number[];
	headInPacketOfItsOwn: boolean;
	/** How many interim answers come before it. */
	interim: number;
}

const ENCODERS = {
	identity: (bytes: Buffer) => bytes,
	gzip: (bytes: Buffer) => gzipSync(bytes),
	deflate: (bytes: Buffer) => deflateSync(bytes),
	br: (bytes: Buffer) => brotliCompressSync(bytes),
};

export const delivery: fc.Arbitrary<Delivery> = fc.record({
	framing: fc.constantFrom('length', 'chunked', 'until the end'),
	encoding: fc.constantFrom('identity', 'identity', 'gzip', 'deflate', 'br'),
	cuts: fc.array(fc.nat(1_000_000), { maxLength: 12 }),
	headInPacketOfItsOwn: fc.boolean(),
	interim: fc.constantFrom(0, 0, 0, 1, 2),
});

export interface Sent {
	status: number;
	headers?: Record<string, string>;
	body: Buffer;
}

/** The packets in which an answer travels. */
export function deliver(
	{ status, headers, body }: Sent,
	{ framing, encoding, cuts, headInPacketOfItsOwn, interim }: Delivery,
): RawResponse {
	const bytes = ENCODERS[encoding](body);
	const last = head(`${status} Whatever`, {
		...headers,
		...(encoding !== 'identity' && { 'content-encoding': encoding }),
		...(framing === 'length' && { 'content-length': String(bytes.length) }),
		...(framing === 'chunked' && { 'transfer-encoding': 'chunked' }),
		...(framing === 'until the end' && { connection: 'close' }),
	});
	const hints = Array.from({ length: interim }, () => head('103 Early Hints', { link: '</>' }));
	const start = Buffer.concat([...hints, last]);
	const framed = framing === 'chunked' ? inChunks(split(bytes, cuts)) : bytes;
	const packets = split(framed, cuts);
	const [first = Buffer.alloc(0), ...others] = packets;
	return {
		packets: headInPacketOfItsOwn
			? [start, ...packets]
			: [Buffer.concat([start, first]), ...others],
		// By HTTP these two have no body: what comes in its place spoils the connection.
		...((framing === 'until the end' || status === 204 || status === 304) && { then: 'ends' }),
	};
}

function inChunks(parts: Buffer[]): Buffer {
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

/** A gateway to which the service gives this answer. */
export function answeredWith(answer: RawResponse): Gateway {
	service.respond = () => answer;
	// The rate limiter is shared by all that use one service and key.
	const connection = { baseUrl: `${service.url}/${(gateways += 1)}`, apiKey: MARKER };
	return new Gateway(parseCredential(connection), {
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 60_000,
	});
}

/** What a call ends in that gets this answer. */
export async function receive(name: string, answer: RawResponse) {
	const gateway = answeredWith(answer);
	return await outcomeOf(async () => await CALLS[name]!(gateway));
}
