import { randomBytes } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { headers, nearlyValid, status } from './responses';
import type { RawResponse } from '../engine/rawServer';
import { call } from './calls';
import { deliver, delivery, receive } from './rawResponses';
import { property } from './property';

/** Text that no coding makes much smaller. */
const NOISE = randomBytes(2_000_000).toString('base64');

/** A valid response to each call that contains this text. */
const VALID: Record<string, (text: string) => unknown> = {
	chat: (content) => ({
		id: 'chat-1',
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
	}),
	models: (note) => ({ data: [{ id: 'm', note }] }),
	submit: (revised_prompt) => ({ data: [{ id: 'task-1', status: 'processing', revised_prompt }] }),
	task: (revised_prompt) => ({ id: 'task-1', status: 'processing', revised_prompt }),
};

/** Removes bytes from the end of the body. */
function truncate(sent: Iterable<Buffer>, lost: number): Buffer[] {
	const packets = [...sent];
	const all = Buffer.concat(packets);
	const bodyStart = all.indexOf('\r\n\r\n') + 4;
	const arrived = Math.max(bodyStart, all.length - lost);
	let start = 0;
	return packets.map((packet) => {
		const part = packet.subarray(0, Math.max(0, arrived - start));
		start += packet.length;
		return part;
	});
}

/** All JSON of a response may arrive before its connection breaks: then nothing of the result is missing. */
async function expectWhole(name: string, result: unknown, sent: RawResponse): Promise<void> {
	const whole = await receive(name, sent);
	if (whole.error !== undefined || !isDeepStrictEqual(result, whole.result))
		throw new Error('A truncated response counts as complete');
}

/** The same for large responses, as a body. */
const LARGE: Record<string, (text: string) => string> = {
	chat: (text) => JSON.stringify(VALID.chat!(text)),
	stream: (text) => {
		const chunk = (part: object) => `data: ${JSON.stringify({ choices: [part] })}\n\n`;
		const parts = text.match(/.{1,9999}/g) ?? [];
		const chunks = parts.map((content) => chunk({ index: 0, delta: { content } }));
		return [...chunks, chunk({ index: 0, delta: {}, finish_reason: 'stop' })].join('');
	},
	models: (text) => JSON.stringify(VALID.models!(text.slice(0, 1_500_000))),
	task: (text) => JSON.stringify({ id: 'task-1', status: 'completed', b64_json: text }),
	video: (text) => JSON.stringify({ id: 'task-1', status: 'completed', b64_json: text }),
};

property(
	'a large response is read whole or is an error, however its connection ends, without an uncaught exception',
	fc.record({
		delivery,
		call: fc.constantFrom(...Object.keys(LARGE)),
		size: fc.oneof(fc.nat(300_000), fc.nat(NOISE.length)),
		lost: fc.oneof(fc.constant(0), fc.nat(1_000), fc.nat(NOISE.length)),
		then: fc.constantFrom(undefined, undefined, 'ends' as const, 'is reset' as const),
	}),
	async ({ delivery: how, call: name, size, lost, then }) => {
		const body = Buffer.from(LARGE[name]!(NOISE.slice(0, size)));
		const sent = deliver({ status: 200, body }, how);
		const packets = truncate(sent.packets, lost);
		const end = then ?? sent.then ?? (lost > 0 ? 'ends' : undefined);
		const { error, result } = await receive(name, { packets, ...(end && { then: end }) });
		// What has not been read yet is lost with a reset.
		if (lost === 0 && end !== 'is reset' && error)
			throw new Error(`A large response is refused: ${inspect(error)}`);
		// Of a stream that is finished nothing is missed.
		if (lost > 0 && !error && name !== 'stream') await expectWhole(name, result, sent);
	},
	// Each takes some fifty times as long as one of the others.
	1 / 8,
);

property(
	'a valid response is read the same however it is sent',
	fc.record({
		delivery,
		call: fc.constantFrom(...Object.keys(VALID)),
		text: fc.string({ unit: 'binary' }),
		status: fc.constantFrom(200, 201),
		byteOrderMark: fc.boolean(),
	}),
	async ({ delivery: how, call: name, text, status: code, byteOrderMark }) => {
		const json = JSON.stringify(VALID[name]!(text));
		const body = Buffer.from((byteOrderMark ? '\ufeff' : '') + json);
		const outcome = await receive(name, deliver({ status: code, body }, how));
		if (!JSON.stringify(outcome.result ?? null).includes(JSON.stringify(text)))
			throw new Error(`The outcome is: ${inspect(outcome)}`);
	},
);

property(
	'any bytes as a body give a result or a GatewayError',
	fc.record({ call, delivery, status, headers, body: fc.uint8Array({ maxLength: 300 }) }),
	async (input) => {
		const response = { ...input, body: Buffer.from(input.body) };
		const { error } = await receive(input.call, deliver(response, input.delivery));
		if (error === undefined && input.status >= 300)
			throw new Error(`The status ${input.status} counts as a success`);
	},
);

property(
	'any bytes instead of HTTP give a GatewayError',
	fc.record({
		call,
		before: fc.constantFrom('', 'HTTP/1.1 ', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 103 Hints\r\n\r\n'),
		body: fc.uint8Array({ maxLength: 300 }),
		cut: fc.nat(300),
	}),
	async ({ call: name, before, body, cut }) => {
		const bytes = Buffer.concat([Buffer.from(before), body]);
		const packets = [bytes.subarray(0, cut), bytes.subarray(cut)];
		const { error } = await receive(name, { packets, then: 'ends' });
		if (error === undefined) throw new Error('Invalid HTTP counts as a response');
	},
);

property(
	'a truncated body gives a GatewayError with the status, unless its JSON is whole',
	fc.record({
		call,
		delivery: delivery.map((how) => ({ ...how, framing: 'length' as const, interim: 0 })),
		status,
		body: nearlyValid,
		lost: fc.integer({ min: 1, max: 400 }),
		then: fc.constantFrom('ends' as const, 'is reset' as const),
	}),
	async ({ call: name, delivery: how, status: code, body, lost, then }) => {
		if (code === 204 || code === 304) return;
		const sent = deliver({ status: code, body: Buffer.from(JSON.stringify(body)) }, how);
		const packets = truncate(sent.packets, lost);
		const { error, result } = await receive(name, { packets, then });
		if (error === undefined) await expectWhole(name, result, sent);
		else if (code >= 300 && !('status' in error && error.status === code))
			throw new Error(`The error does not have the status ${code}: ${inspect(error)}`);
	},
);
