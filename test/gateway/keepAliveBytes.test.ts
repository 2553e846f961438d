import { setImmediate as turn } from 'node:timers/promises';
import { failureOf, slowResponses, stubbedGateway } from './inMemory';
import { VirtualClock } from '../clock/virtualClock';

const TIMEOUT_MS = 300_000;
const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const message = { role: 'assistant', content: 'Good day' };
const completion = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

/** A service that sends these packets, by default a minute apart. */
function slowGateway(packetOf: (minute: number) => string | undefined, everyMs = 60_000) {
	const clock = new VirtualClock();
	const transport = slowResponses(clock, everyMs, packetOf);
	return { clock, gateway: stubbedGateway({ clock, timeoutMs: TIMEOUT_MS, transport }) };
}

/** A service that keeps the connection alive each minute for some minutes, then its answer. */
const patientGateway = (sign: string, minutes: number, answer: string) =>
	slowGateway((minute) => (minute < minutes ? sign : minute === minutes ? answer : undefined));
type Patient = ReturnType<typeof patientGateway>['gateway'];

const streamed = async (gateway: Patient) => await gateway.chat(request, undefined, () => {});
const plain = async (gateway: Patient) => await gateway.chat(request);
const inStream = `${chunk({ content: 'Good day' })}data: [DONE]\n\n`;

describe.each<[string, string, string, (gateway: Patient) => Promise<unknown>]>([
	['comments in a stream', ': ping\n\n', inStream, streamed],
	['pings in a stream', 'event: ping\ndata: {"type":"ping"}\n\n', inStream, streamed],
	['empty deltas in a stream', chunk({ role: 'assistant', content: '' }), inStream, streamed],
	['chunks without choices', 'data: {"choices":[]}\n\n', inStream, streamed],
	['spaces before a chat completion', ' ', completion, plain],
	['blank lines before a chat completion', '\r\n', completion, plain],
])('%s', (_what, sign, answer, send) => {
	test('keep a request alive for longer than Timeout', async () => {
		const { clock, gateway } = patientGateway(sign, 19, answer);
		expect(JSON.stringify(await clock.run(send(gateway)))).toMatch(/Good day|completed/);
	});

	test('do not keep a request alive for more than four times Timeout', async () => {
		const { clock, gateway } = patientGateway(sign, 10_000, answer);
		const start = clock.now();
		const error = await clock.run(failureOf(send(gateway)));
		expect(error).toMatchObject({
			code: 'timeout',
			message: 'The service kept the connection alive but sent no content for 1200 seconds',
		});
		expect(clock.now() - start).toBe(4 * TIMEOUT_MS);
	});
});

test('reasoning is a part of the answer', async () => {
	const { clock, gateway } = patientGateway(chunk({ content: '', reasoning: 'Hm' }), 60, inStream);
	expect((await clock.run(streamed(gateway))) as object).toMatchObject({ choices: [{}] });
});

test('a process that was too busy to read until Timeout was over reads what came meanwhile', async () => {
	const parts = completion.split(/(?= day)/);
	const { clock, gateway } = slowGateway((index) => parts[index], TIMEOUT_MS);
	expect((await clock.run(plain(gateway))) as object).toMatchObject({ choices: [{ message }] });
});

test('the text that came before nothing but pings is in the error', async () => {
	const { clock, gateway } = slowGateway((minute) =>
		minute === 0 ? chunk({ content: 'Good' }) : ': ping\n\n',
	);
	expect(await clock.run(failureOf(streamed(gateway)))).toMatchObject({
		code: 'timeout',
		record: { partial_text: 'Good', may_have_been_accepted: true },
	});
});

test.each([
	['ends a moment after [DONE]', 2, 900],
	['goes on after [DONE]', Infinity, 5_000],
])('nothing waits for a stream that %s', async (_what, packets, ms) => {
	const packetOf = (index: number) => (index < packets ? ': ping\n\n' : undefined);
	const { clock, gateway } = slowGateway((index) => (index ? packetOf(index) : inStream), 400);
	await clock.run(streamed(gateway));
	clock.advance(ms);
	await turn();
	expect(clock.timers).toBe(0);
});

test.each([false, true])(
	'an answer that is whole counts when nothing ends it within Timeout, with Stream: %s',
	async (streams) => {
		const { clock, gateway } = slowGateway((minute) => (minute === 0 ? completion : ''));
		const answer = streams ? gateway.chat(request, undefined, () => {}) : gateway.chat(request);
		await expect(clock.run(answer)).resolves.toMatchObject(JSON.parse(completion) as object);
	},
);
