import { startSimulator, type Simulator } from '../../simulator';
import { exchange, get, jsonOf } from './client';

describe('the simulator with a rate limit', () => {
	let simulator: Simulator;
	let now: number;

	beforeEach(() => {
		now = Date.UTC(2025, 5, 1);
	});
	afterEach(() => simulator.close());

	const status = async () => (await get(simulator, '/v1/models')).status;

	it('refuses requests beyond the burst until tokens are refilled', async () => {
		const rateLimit = { requestsPerSecond: 2, burst: 3 };
		simulator = await startSimulator({ rateLimit, now: () => now });
		expect([await status(), await status(), await status(), await status()]).toEqual([
			200, 200, 200, 429,
		]);
		now += 500;
		expect([await status(), await status()]).toEqual([200, 429]);
	});

	it('refuses requests beyond the window until it ends', async () => {
		const rateLimit = { requests: 1, windowSeconds: 90 };
		simulator = await startSimulator({ rateLimit, now: () => now });
		expect([await status(), await status()]).toEqual([200, 429]);
		now += 60_000;
		const response = await get(simulator, '/v1/models');
		expect(jsonOf(response)).toEqual({
			code: 'rate_limit_exceeded',
			message: expect.any(String),
			data: { retry_after: 30 },
		});
		expect(response.headers).toMatchObject({
			'retry-after': '30',
			'x-ratelimit-limit-requests': '1',
			'x-ratelimit-remaining-requests': '0',
			'x-ratelimit-reset-requests': String(now / 1000 + 30),
		});
		now += 30_000;
		expect(await status()).toBe(200);
	});

	it('limits each key separately and ignores wrong keys', async () => {
		const rateLimit = { requests: 1, windowSeconds: 60 };
		simulator = await startSimulator({ rateLimit, now: () => now });
		simulator.acceptKey('second-key');
		const models = (key: string) =>
			exchange(`${simulator.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
		expect((await models('wrong')).status).toBe(401);
		expect((await models('local-key')).status).toBe(200);
		expect((await models('local-key')).status).toBe(429);
		expect((await models('second-key')).status).toBe(200);
	});
});
