import { inspect } from 'node:util';
import fc from 'fast-check';
import { headers, nearlyValid, status } from './responses';
import { call } from './calls';
import { deliver, delivery, receive } from './rawResponses';
import { property } from './property';

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
function truncate(packets: Buffer[], lost: number): Buffer[] {
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

export const transportProperties = [
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
	),
	property(
		'any bytes as a body give a result or a GatewayError',
		fc.record({ call, delivery, status, headers, body: fc.uint8Array({ maxLength: 300 }) }),
		async (input) => {
			const response = { ...input, body: Buffer.from(input.body) };
			const { error } = await receive(input.call, deliver(response, input.delivery));
			if (error === undefined && input.status >= 300)
				throw new Error(`The status ${input.status} counts as a success`);
		},
	),
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
	),
	property(
		'a truncated body gives a GatewayError with the status',
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
			const { error } = await receive(name, { packets, then });
			if (error === undefined) throw new Error('A truncated response counts as complete');
			if (code >= 300 && !('status' in error && error.status === code))
				throw new Error(`The error does not have the status ${code}: ${inspect(error)}`);
		},
	),
];
