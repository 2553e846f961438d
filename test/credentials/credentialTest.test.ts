import { type Simulator, startSimulator } from '../../simulator';
import { credentialOf } from '../engine/runNode';
import { testCredential } from '../engine/testCredential';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ pathPrefix: '/gateway', key: 'the-key' });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

test('a good credential passes, by one request for the models', async () => {
	expect(await testCredential(credentialOf(simulator))).toBeUndefined();
	expect(simulator.requests).toHaveLength(1);
	expect(simulator.count('models')).toBe(1);
});

test.each([
	['a trailing slash after the base URL', { baseUrl: (url: string) => `${url}//` }],
	['white space around the base URL', { baseUrl: (url: string) => ` ${url}\n` }],
	['the word Bearer pasted with the key', { apiKey: (key: string) => `Bearer ${key}` }],
	['white space around the key', { apiKey: (key: string) => ` ${key}\n` }],
])('%s is forgiven', async (_, change) => {
	const { baseUrl, apiKey } = credentialOf(simulator) as { baseUrl: string; apiKey: string };
	const fields = {
		baseUrl: 'baseUrl' in change ? change.baseUrl(baseUrl) : baseUrl,
		apiKey: 'apiKey' in change ? change.apiKey(apiKey) : apiKey,
	};
	expect(await testCredential(fields)).toBeUndefined();
});

test.each([
	{ trouble: 'a wrong key', apiKey: 'another-key', words: /refused the API key/ },
	{ trouble: 'an account without a plan', fault: 'quota-not-enough', words: /plan and balance/ },
	{ trouble: 'a base URL that already ends in /v1', path: '/v1', words: /leave out \/v1/ },
])('$trouble is explained in plain words', async ({ apiKey, fault, path = '', words }) => {
	if (fault !== undefined) simulator.inject({ endpoint: 'models', fault });
	const fields = { apiKey: apiKey ?? simulator.key, baseUrl: `${simulator.url}${path}` };
	const message = await testCredential(fields);
	expect(message).toMatch(words);
	expect(message).not.toContain(fields.apiKey);
});

test('a service that cannot be reached is an error', async () => {
	const gone = await startSimulator();
	await gone.close();
	expect(await testCredential(credentialOf(gone))).toMatch(/refused|connect/i);
});
