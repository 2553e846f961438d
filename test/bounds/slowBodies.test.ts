import type { Gateway } from '../../gateway';
import { VirtualClock } from '../clock/virtualClock';
import { failureOf, gatewayAt, slowResponses } from '../gateway/inMemory';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const TIMEOUT_MS = 5 * MINUTE_MS;
const KIB = 1024;

/** A service that sends one part of each response in this time. */
function slowService(everyMs: number, partOf: (index: number) => string | undefined, status = 200) {
	const clock = new VirtualClock();
	const slow = slowResponses(clock, everyMs, partOf);
	const transport: typeof slow = async (request) => ({ ...(await slow(request)), status });
	return {
		clock,
		gateway: gatewayAt('http://slow.test', { clock, transport, timeoutMs: TIMEOUT_MS }),
	};
}

const poll = async (gateway: Gateway) => await gateway.getVideoTask('t', undefined, () => {});
const list = async (gateway: Gateway) => await gateway.listModels();
const submit = async (gateway: Gateway) => await gateway.submitVideo({ model: 'm', prompt: 'p' });

const REQUESTS: Array<[string, (gateway: Gateway) => Promise<unknown>, string]> = [
	['a poll', poll, '{"id":"t","status":"completed","b64_json":"'],
	['the model list', list, '{"data":[{"id":"m","note":"'],
	['a submission', submit, '{"id":"r","data":[{"id":"t","note":"'],
	['a submission, with its video', submit, '{"id":"r","data":[{"b64_json":"'],
];

describe.each(REQUESTS)('the response to %s', (_what, send, start) => {
	test.each([
		['a character a second', 'x'],
		['a space a second', ' '],
	])('that arrives %s ends after Timeout', async (_how, part) => {
		const { clock, gateway } = slowService(SECOND_MS, (index) => (index === 0 ? start : part));
		const begin = clock.now();
		expect(await clock.run(failureOf(send(gateway)))).toMatchObject({
			code: 'timeout',
			message: 'The service sent less than 64 kB of its response in a minute, for 300 seconds',
		});
		expect(clock.now() - begin).toBe(TIMEOUT_MS);
	});

	test('that flows, and then hardly, ends Timeout later', async () => {
		const { clock, gateway } = slowService(SECOND_MS, (index) =>
			index === 0 ? start : 'QUJD'.repeat(index <= 600 ? KIB / 2 : 1),
		);
		const begin = clock.now();
		expect(await clock.run(failureOf(send(gateway)))).toMatchObject({ code: 'timeout' });
		const tookMs = clock.now() - begin;
		expect(tookMs).toBeGreaterThanOrEqual(600 * SECOND_MS + TIMEOUT_MS - MINUTE_MS);
		expect(tookMs).toBeLessThanOrEqual(600 * SECOND_MS + TIMEOUT_MS);
	});

	test('that flows is read to its end', async () => {
		const end = `"}${start.includes('[') ? ']}' : ''}`;
		const parts = [start, ...Array<string>(900).fill('QUJD'.repeat(KIB / 2)), end];
		const { clock, gateway } = slowService(SECOND_MS, (index) => parts[index]);
		expect(JSON.stringify(await clock.run(send(gateway)))).toMatch(/"id":"[tmr]"/);
	});

	test('that is an error has five seconds to arrive', async () => {
		const { clock, gateway } = slowService(SECOND_MS, () => 'x', 400);
		const begin = clock.now();
		expect(await clock.run(failureOf(send(gateway)))).toMatchObject({
			message: 'The service refused a parameter of the request',
		});
		expect(clock.now() - begin).toBe(5 * SECOND_MS);
	});
});

test.each([
	['hardly flows', 'x'],
	['says nothing more', ''],
])('the last poll of a wait ends after a minute if its response %s', async (_how, part) => {
	const { clock, gateway } = slowService(SECOND_MS, (index) => (index === 0 ? '{' : part));
	const begin = clock.now();
	const polled = gateway.getVideoTask('t', undefined, () => {}, 0);
	expect(await clock.run(failureOf(polled))).toMatchObject({ code: 'timeout' });
	expect(clock.now() - begin).toBe(MINUTE_MS);
});

test('an answer that a slow model writes for half an hour is read to its end', async () => {
	const word = (content: string) =>
		`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
	const { clock, gateway } = slowService(MINUTE_MS, (minute) =>
		minute < 30 ? word('a ') : minute === 30 ? 'data: [DONE]\n\n' : undefined,
	);
	const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
	const answer = await clock.run(gateway.chat(chat, undefined, () => {}));
	expect(answer.choices[0]?.message.content).toBe('a '.repeat(30));
});
