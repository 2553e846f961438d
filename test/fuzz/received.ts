import { inspect } from 'node:util';
import fc from 'fast-check';
import { headers, nearlyRight, status } from './answers';
import { call } from './calls';
import { deliver, delivery, receive } from './overSocket';
import { property } from './property';

/** A good answer to each call, with this text in it. */
const GOOD: Record<string, (text: string) => unknown> = {
	chat: (content) => ({
		id: 'chat-1',
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
	}),
	models: (note) => ({ data: [{ id: 'm', note }] }),
	submit: (revised_prompt) => ({ data: [{ id: 'task-1', status: 'processing', revised_prompt }] }),
	task: (revised_prompt) => ({ id: 'task-1', status: 'processing', revised_prompt }),
};

/** Bytes are lost at the end of the body alone. */
function withoutEnd(packets: Buffer[], lost: number): Buffer[] {
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

export const receivedProperties = [
	property(
		'a good answer reads the same however it travels',
		fc.record({
			delivery,
			call: fc.constantFrom(...Object.keys(GOOD)),
			text: fc.string({ unit: 'binary' }),
			status: fc.constantFrom(200, 201),
			byteOrderMark: fc.boolean(),
		}),
		async ({ delivery: way, call: name, text, status: code, byteOrderMark }) => {
			const json = JSON.stringify(GOOD[name]!(text));
			const body = Buffer.from((byteOrderMark ? '\ufeff' : '') + json);
			const outcome = await receive(name, deliver({ status: code, body }, way));
			if (!JSON.stringify(outcome.result ?? null).includes(JSON.stringify(text)))
				throw new Error(`This is read: ${inspect(outcome)}`);
		},
	),
	property(
		'any bytes as an answer end in a result or in one of our errors',
		fc.record({ call, delivery, status, headers, body: fc.uint8Array({ maxLength: 300 }) }),
		async (input) => {
			const answer = { ...input, body: Buffer.from(input.body) };
			const { error } = await receive(input.call, deliver(answer, input.delivery));
			if (error === undefined && input.status >= 300)
				throw new Error(`The status ${input.status} was taken for a success`);
		},
	),
	property(
		'any bytes in place of HTTP end in one of our errors',
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
			if (error === undefined) throw new Error('No HTTP was taken for a response');
		},
	),
	property(
		'a body that breaks off anywhere is an error, which still tells the status',
		fc.record({
			call,
			delivery: delivery.map((way) => ({ ...way, framing: 'length' as const, interim: 0 })),
			status,
			body: nearlyRight,
			lost: fc.integer({ min: 1, max: 400 }),
			then: fc.constantFrom('ends' as const, 'is reset' as const),
		}),
		async ({ call: name, delivery: way, status: code, body, lost, then }) => {
			if (code === 204 || code === 304) return;
			const sent = deliver({ status: code, body: Buffer.from(JSON.stringify(body)) }, way);
			const packets = withoutEnd(sent.packets, lost);
			const { error } = await receive(name, { packets, then });
			if (error === undefined) throw new Error('Half an answer was taken for a whole one');
			if (code >= 300 && !('status' in error && error.status === code))
				throw new Error(`The status ${code} is not told: ${inspect(error)}`);
		},
	),
];
