import { until } from '../clock/until';
import type { Transport } from '../../gateway/http/types';
import type { GatewayError } from '../../gateway';
import { neverSent } from '../../gateway/errors/networkError';
import { COMPLETION, gatewayAt, responseOf } from './inMemory';
import { chat, chats, serviceWith } from './limitedNodes';
import { Bucket, createRandom, fixedWindow, type Rule } from './limitScenarios/rules';

/** A service that responds at once: what takes time is its limit. */
const quick = () => ({ latencyMs: 2, jitter: 1, workMs: 0, random: createRandom() });

test('a slow start does not lower the estimate of the burst that the service accepts', async () => {
	const limit = new Bucket(50, 50);
	const { clock, service, node, seconds } = serviceWith(() => limit, quick());
	for (let item = 0; item < 20; item += 1) {
		await clock.run(chat(node()));
		await clock.run(clock.sleep(50));
	}
	const { took } = await clock.run(seconds(Promise.all(chats(node(), 1_000))));
	expect(took).toBeLessThanOrEqual(19 * 1.07);
	expect(service.received.length).toBeLessThanOrEqual(20 + 1_000 + 25);
});

test('a limit of one request in two minutes is not forgotten between requests', async () => {
	const limit = new Bucket(1 / 120, 1);
	const { clock, service, node } = serviceWith(() => limit, quick());
	const gateway = node();
	for (let item = 0; item < 20; item += 1) await clock.run(chat(gateway));
	expect(service.received.length).toBeLessThanOrEqual(30);
});

test('a limit is forgotten after an idle minute', async () => {
	const limit = new Bucket(50, 10);
	const { clock, node, seconds } = serviceWith(() => limit, quick());
	const gateway = node();
	await clock.run(Promise.all(chats(gateway, 100)));
	await clock.run(clock.sleep(61_000));
	const { took } = await clock.run(seconds(Promise.all(chats(gateway, 10))));
	expect(took).toBeLessThanOrEqual(0.008);
});

test('an outage that failed what waited for it is forgotten an hour later: a refusal is retried', async () => {
	let isAway = true;
	let later = 0;
	const take = () => {
		if (isAway) return 20_000;
		later += 1;
		return later === 1 ? 1_000 : 0;
	};
	const { clock, node } = serviceWith(() => ({ take }), quick());
	const failed = await clock.run(Promise.allSettled(chats(node(), 200)));
	expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
	isAway = false;
	await clock.run(clock.sleep(3_600_000));
	await expect(clock.run(Promise.all(chats(node(), 20)))).resolves.toHaveLength(20);
});

test('with a tiny Retry-After the retries are still spread out', async () => {
	const { clock, service, node } = serviceWith(() => ({ take: () => 1 }), {
		...quick(),
		saysRetryAfter: 0.001,
	});
	await expect(clock.run(chat(node()))).rejects.toMatchObject({ code: 'refused' });
	expect(service.received).toHaveLength(5);
	expect(service.received[4]!.at - service.received[0]!.at).toBeGreaterThanOrEqual(1_000);
});

test('a late 503 page, after which a request may be billed, says nothing of requests that were not sent', async () => {
	const { clock, node } = serviceWith(() => undefined);
	let sent = 0;
	const gateway = node(10, {
		transport: async ({ onWritten }) => {
			onWritten();
			sent += 1;
			await clock.sleep(15_000);
			return responseOf(503, ['<p>Busy</p>']);
		},
	});
	const outcomes = await clock.run(Promise.allSettled(chats(gateway, 400)));
	const lost = outcomes.filter(
		(outcome) =>
			outcome.status === 'rejected' &&
			(outcome.reason as GatewayError).record.may_have_been_accepted,
	);
	expect(lost).toHaveLength(sent);
});

test('one at a time, a chat that the service asks not to send again delays no other', async () => {
	let sent = 0;
	const { clock, node, seconds } = serviceWith(() => undefined);
	const gateway = node(1, {
		transport: async () => {
			sent += 1;
			const headers = { 'retry-after': '20', 'x-should-retry': 'false' };
			const isRefused = sent % 2 === 0;
			return await Promise.resolve(
				isRefused ? responseOf(429, {}, headers) : responseOf(200, COMPLETION),
			);
		},
	});
	const oneByOne = async () => {
		for (let item = 0; item < 10; item += 1) await chat(gateway).catch(() => {});
	};
	const { took } = await clock.run(seconds(oneByOne()));
	expect(sent).toBe(10);
	expect(took).toBeLessThan(1);
});

test('after a chat that alone was refused, the next one waits as long: it may be a new try', async () => {
	const { clock, node, seconds } = serviceWith(
		({ user }) => (user === 'large' ? { take: () => 20_000 } : undefined),
		quick(),
	);
	const gateway = node();
	const large = { model: 'heron-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };
	const refused = gateway.chat({ ...large, user: 'large' }).catch(() => {});
	await clock.run(Promise.all([refused, ...chats(gateway, 20)]));
	const { took } = await clock.run(seconds(chat(gateway)));
	expect(took).toBeGreaterThan(19);
});

test('the long pause of one model holds up no other that may come back soon', async () => {
	const rules: Record<string, Rule> = { slow: fixedWindow(1, 60), quick: new Bucket(10, 1) };
	const { clock, node, seconds } = serviceWith(({ model = '' }) => rules[model], quick());
	const gateway = node(40);
	const slow = Promise.all(chats(gateway, 3, 'slow'));
	const { took } = await clock.run(seconds(Promise.all(chats(gateway, 30, 'quick'))));
	expect(took).toBeLessThan(15);
	await clock.run(slow);
});

test('the limit of a key at one Base URL holds up no request with it at another', async () => {
	const { clock, seconds } = serviceWith(() => undefined);
	const transport: Transport = async ({ origin }) =>
		await Promise.resolve(
			origin === 'http://one.test'
				? responseOf(429, [], { 'retry-after': '60' })
				: responseOf(200, COMPLETION),
		);
	const at = (baseUrl: string) => gatewayAt(baseUrl, { clock, transport, maxRetries: 1 });
	const refused = Promise.allSettled([chat(at('http://one.test'))]);
	await clock.run(clock.sleep(1));
	const { took } = await clock.run(seconds(chat(at('http://other.test'))));
	expect(took).toBe(0);
	await clock.run(refused);
});

test('the limit of one key holds up no request with another key at the same Base URL', async () => {
	const { clock, seconds } = serviceWith(() => undefined);
	const transport: Transport = async ({ headers }) =>
		await Promise.resolve(
			String(headers.authorization).endsWith('key-of-anna')
				? responseOf(429, [], { 'retry-after': '60' })
				: responseOf(200, COMPLETION),
		);
	const of = (apiKey: string) =>
		gatewayAt('http://one.test', { apiKey, clock, transport, maxRetries: 1 });
	const refused = Promise.allSettled([chat(of('key-of-anna'))]);
	await clock.run(clock.sleep(1));
	const { took } = await clock.run(seconds(chat(of('key-of-ben'))));
	expect(took).toBe(0);
	await clock.run(refused);
});

test('a request that pauses before its retry leaves its slot to another one', async () => {
	const { clock, seconds } = serviceWith(() => undefined);
	jest.spyOn(Math, 'random').mockReturnValue(1 - 1e-9);
	const failure = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
	let isDown = true;
	const transport: Transport = async ({ body }) => {
		if (!String(body).includes('slow')) return await Promise.resolve(responseOf(200, COMPLETION));
		if (isDown) return await Promise.reject(neverSent(failure));
		return await Promise.resolve(responseOf(200, COMPLETION));
	};
	const one = gatewayAt('http://slots.test', {
		clock,
		transport,
		maxRetries: 5,
		maxConcurrency: 1,
	});
	const slow = chat(one, 'slow');
	// The third pause takes two seconds.
	await clock.run(clock.sleep(1_600));
	isDown = false;
	const { took } = await clock.run(seconds(chat(one, 'quick')));
	expect(took).toBe(0);
	await clock.run(slow);
});

describe('a Retry-After that is too long to wait for', () => {
	const HOUR_MS = 3_600_000;
	const outcomes = async (work: Array<Promise<unknown>>) =>
		(await Promise.allSettled(work)).map((outcome) =>
			outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { retryAfterMs?: number }),
		);
	/** A service that refuses everything for an hour, until it `recovers`. */
	const refusing = () => {
		let isLimited = true;
		const limited = serviceWith(() => ({ take: () => (isLimited ? HOUR_MS : 0) }), quick());
		return { ...limited, recover: () => void (isLimited = false) };
	};

	test('fails requests that wait for the rate, too', async () => {
		let requests = 0;
		const limit = new Bucket(2, 1);
		const take = (now: number) => ((requests += 1) > 20 ? HOUR_MS : limit.take(now));
		const { clock, service, node } = serviceWith(() => ({ take }), quick());
		const found = await clock.run(outcomes(chats(node(), 100)));
		expect(found.filter((outcome) => outcome === 'done').length).toBeGreaterThan(5);
		expect(service.received.length).toBeLessThanOrEqual(21 + 9);
		await until(() => clock.timers === 0);
	});

	test('fails no poll but the one that got it, and holds none up', async () => {
		let polls = 0;
		const { clock, node, seconds } = serviceWith(() => undefined);
		const transport: Transport = async () =>
			await Promise.resolve(
				(polls += 1) === 1
					? responseOf(429, [], { 'retry-after': '3600' })
					: responseOf(200, { id: 'task', status: 'processing' }),
			);
		const gateway = node(1, { transport });
		const three = [1, 2, 3].map(async () => await gateway.getVideoTask('task'));
		const { result, took } = await clock.run(seconds(outcomes(three)));
		expect(result).toMatchObject([{ retryAfterMs: HOUR_MS }, 'done', 'done']);
		expect(took).toBe(0);
	});

	test('does not say of requests that were never sent how often another one was', async () => {
		let requests = 0;
		const take = () => ((requests += 1) > 4 ? HOUR_MS : 1_000);
		const { clock, node } = serviceWith(() => ({ take }), quick());
		const found = await clock.run(outcomes([chat(node(1)), ...chats(node(1), 20)]));
		const sent = found.map((outcome) => (outcome as GatewayError).record.sent);
		expect(sent).toEqual([3, ...Array<number>(20).fill(1)]);
	});

	test('sends later requests one at a time until one succeeds', async () => {
		const { clock, service, node, seconds, recover } = refusing();
		const gateway = node();
		await clock.run(outcomes([chat(gateway)]));
		await clock.run(outcomes(chats(gateway, 20)));
		expect(service.received).toHaveLength(2);
		recover();
		const { took } = await clock.run(seconds(Promise.all(chats(gateway, 20))));
		expect(took).toBeLessThan(0.1);
		expect(service.received).toHaveLength(22);
	});

	test('sends the next request if the one it waits for is cancelled', async () => {
		const { clock, node, recover } = refusing();
		const gateway = node();
		await clock.run(outcomes([chat(gateway)]));
		recover();
		const stop = new AbortController();
		const probe = chat(gateway, undefined, stop.signal);
		const behind = chat(gateway);
		const both = outcomes([probe, behind]);
		await clock.run(clock.sleep(0));
		stop.abort();
		await clock.run(both);
		await expect(probe).rejects.toMatchObject({ code: 'cancelled' });
		await expect(behind).resolves.toBeDefined();
	});

	test('sends the next request if the one it waits for has no response after five seconds', async () => {
		const refuse: Array<() => void> = [];
		const { clock, node } = serviceWith(() => undefined);
		const gateway = node(10, {
			maxRetries: 0,
			timeoutMs: 2 * HOUR_MS,
			transport: async () => {
				await new Promise<void>((resolve) => refuse.push(resolve));
				const headers = { 'retry-after': '3600' };
				return responseOf(429, [], headers);
			},
		});
		const sent = async () => {
			const number = refuse.length;
			const work = outcomes([chat(gateway)]);
			await until(() => refuse.length > number);
			return { work, refuse: refuse[number]! };
		};
		const first = await sent();
		first.refuse();
		await first.work;
		const probe = await sent();
		const behind = outcomes([chat(gateway)]);
		expect(refuse).toHaveLength(2);
		await clock.run(clock.sleep(5_000));
		await until(() => refuse.length === 3);
		refuse[2]!();
		probe.refuse();
		for (const [outcome] of [await probe.work, await behind])
			expect(outcome).toMatchObject({ status: 429, retryAfterMs: HOUR_MS });
	});
});
