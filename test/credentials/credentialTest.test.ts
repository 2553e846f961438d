import { type Simulator, startSimulator } from '../../simulator';
import { RawServer, whole } from '../engine/rawServer';
import { credentialOf } from '../engine/runNode';
import { testCredential } from '../engine/testCredential';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ pathPrefix: '/gateway', key: 'the-key' });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

test('a good credential passes, by one request for the models and one for a task that cannot exist', async () => {
	expect(await testCredential(credentialOf(simulator))).toBeUndefined();
	expect(simulator.requests).toHaveLength(2);
	expect(simulator.count('models')).toBe(1);
	expect(simulator.count('poll')).toBe(1);
});

const videosAt = async (videoBasePath: string, answer: string) => {
	const service = new RawServer();
	await service.listen();
	service.answer = (request) => {
		if (request.startsWith('GET /v1/models ')) return whole('200 OK', '{"data":[]}');
		if (!request.startsWith(`GET ${videoBasePath}/video/generations/`)) {
			return whole('404 Not Found', '{"code":"not_found","message":"no such endpoint"}');
		}
		return whole('404 Not Found', answer);
	};
	return service;
};
const unknownTask = '{"code":"task_not_found","message":"unknown task","data":null}';

test.each([
	['/media/v1', '/v1'],
	['/v1', '/media/v1'],
])('with videos at %s a Video Base Path of %s is told, with the right one', async (right, set) => {
	const service = await videosAt(right, unknownTask);
	const fields = { baseUrl: service.url, apiKey: 'key', videoBasePath: set };
	const message = await testCredential(fields);
	const corrected = await testCredential({ ...fields, videoBasePath: right });
	await service.close();
	expect(message).toBe(
		`The service has no video endpoints at ${set}. Set Video Base Path to ${right}: the service has them there.`,
	);
	expect(corrected).toBeUndefined();
});

test('a service without videos, or one that says it in other words, has a good credential all the same', async () => {
	const service = await videosAt('/media/v1', '{"code":"gone","message":"nothing here"}');
	const message = await testCredential({ baseUrl: service.url, apiKey: 'key' });
	await service.close();
	expect(message).toBeUndefined();
});

test.each([
	['a trailing slash after the base URL', { baseUrl: (url: string) => `${url}//` }],
	['/v1 after the base URL', { baseUrl: (url: string) => `${url}/v1/` }],
	['white space around the base URL', { baseUrl: (url: string) => ` ${url}\n` }],
	['the word Bearer pasted with the key', { apiKey: (key: string) => `Bearer ${key}` }],
	['white space around the key', { apiKey: (key: string) => ` ${key}\n` }],
])('%s is forgiven', async (_, change) => {
	const { baseUrl, apiKey } = credentialOf(simulator);
	const fields = {
		baseUrl: 'baseUrl' in change ? change.baseUrl(baseUrl) : baseUrl,
		apiKey: 'apiKey' in change ? change.apiKey(apiKey) : apiKey,
	};
	expect(await testCredential(fields)).toBeUndefined();
});

test.each([
	{ trouble: 'a wrong key', apiKey: 'another-key', words: /refused the API key.*mistyped/ },
	{ trouble: 'an account without quota', fault: 'quota-not-enough', words: /no quota left/ },
	{ trouble: 'a base URL of another place', path: '/v2', words: /Check the Base URL/ },
	{ trouble: 'a web page in place of the service', fault: 'html-200', words: /not.*JSON/i },
	{ trouble: 'an empty answer', fault: 'empty-200', words: /The response is not JSON/ },
	{ trouble: 'a refusal without a word', fault: 'empty-401', words: /refused the API key/ },
	{
		trouble: 'a proxy that does not reach the service',
		fault: 'html-502',
		words: /server between n8n and the service responded/,
	},
	{
		trouble: 'a login page in front of the service',
		fault: 'html-401',
		words: /says nothing about .* key .* login page/,
	},
	{ trouble: 'a lost connection', fault: 'lost', words: /connection.*was lost/ },
])('$trouble has a clear error', async ({ apiKey, fault, path = '', words }) => {
	if (fault !== undefined) simulator.inject({ endpoint: 'models', fault });
	const fields = { apiKey: apiKey ?? simulator.key, baseUrl: `${simulator.url}${path}` };
	const message = await testCredential(fields);
	expect(message).toMatch(words);
	expect(message).not.toContain(fields.apiKey);
});

test('a port where nothing listens has a clear error', async () => {
	const gone = await startSimulator();
	await gone.close();
	expect(await testCredential(credentialOf(gone))).toMatch(
		/The service refused the connection\. Check the Base URL and its port/,
	);
});

test('a host that does not exist has a clear error', async () => {
	const fields = { baseUrl: 'http://service.invalid', apiKey: simulator.key };
	expect(await testCredential(fields)).toMatch(/host name could not be (found|resolved)/);
});

test('a missing key has a clear error', async () => {
	const fields = { ...credentialOf(simulator), apiKey: ' ' };
	expect(await testCredential(fields)).toMatch(/has no API Key/);
	expect(simulator.requests).toEqual([]);
});

test('an address that is none has a clear error', async () => {
	const fields = { baseUrl: 'gateway.example.com', apiKey: simulator.key };
	expect(await testCredential(fields)).toMatch(/not a valid http:\/\/ or https:\/\/ URL/);
});

test('a redirect is not followed, to protect the key', async () => {
	const other = await startSimulator();
	try {
		const redirecting = await startSimulator({ redirectTarget: other.url, key: other.key });
		redirecting.inject({ endpoint: 'models', fault: 'redirect-307' });
		const message = await testCredential(credentialOf(redirecting));
		await redirecting.close();
		expect(message).toMatch(/Redirects are not followed.*final URL/);
		expect(other.requests).toEqual([]);
	} finally {
		await other.close();
	}
});

test('a key that the service repeats is not shown', async () => {
	simulator.inject({ endpoint: 'models', fault: 'echo-key-text' });
	const message = await testCredential(credentialOf(simulator));
	expect(message).toMatch(/No such key: Bearer \[API key removed\]/);
	expect(message).not.toContain(simulator.key);
});

test('a key whose rate limit is reached is not waited for, each time', async () => {
	simulator.inject({ endpoint: 'models', fault: 'retry-after-year' });
	for (const presses of [1, 2]) {
		expect(await testCredential(credentialOf(simulator))).toMatch(/asks to retry after/);
		expect(simulator.count('models')).toBe(presses);
	}
});
