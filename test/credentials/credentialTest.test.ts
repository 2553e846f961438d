import { once } from 'node:events';
import { Readable } from 'node:stream';
import { GenerationServiceApi } from '../../credentials/GenerationServiceApi.credentials';
import { credentialTestTransport, parseCredential } from '../../gateway';
import { startSimulator } from '../../simulator';
import { useRawServer, useSecureSimulator, useSimulator } from '../engine/useServers';
import { rawJson, rawResponse } from '../engine/rawServer';
import { credentialOf, runNode } from '../engine/runNode';
import { stubNode } from '../engine/stubNodes';
import { RequestClock } from '../clock/requestClock';
import { until } from '../clock/until';
import { testCredential } from '../engine/testCredential';

const simulator = useSimulator({ pathPrefix: '/gateway', key: 'the-key' });
const service = useRawServer();
const secure = useSecureSimulator();

test('testing a valid credential sends one request for models and one for a task that cannot exist', async () => {
	expect(await testCredential(credentialOf(simulator))).toBeUndefined();
	expect(simulator.requests).toHaveLength(2);
	expect(simulator.count('models')).toBe(1);
	expect(simulator.count('poll')).toBe(1);
});

test('a certificate that n8n does not trust is accepted with Ignore SSL Issues alone', async () => {
	const fields = { baseUrl: secure.url, apiKey: secure.key };
	expect(await testCredential({ ...fields, ignoreSslIssues: true })).toBeUndefined();
	expect(await testCredential(fields)).toMatch(/secure connection to the service|SSL Issue/);
});

function serveVideosAt(videoBasePath: string, taskBody: string): void {
	service.respond = (request) => {
		if (request.startsWith('GET /v1/models ')) return rawResponse('200 OK', '{"data":[]}');
		if (!request.startsWith(`GET ${videoBasePath}/video/generations/`)) {
			return rawResponse('404 Not Found', '{"code":"not_found","message":"no such endpoint"}');
		}
		return rawResponse('404 Not Found', taskBody);
	};
}
const unknownTask = '{"code":"task_not_found","message":"unknown task","data":null}';

test.each([
	['/media/v1', '/v1'],
	['/v1', '/media/v1'],
])(
	'if videos are at %s, a Video Base Path of %s fails and the error names the right one',
	async (right, set) => {
		serveVideosAt(right, unknownTask);
		const fields = { baseUrl: service.url, apiKey: 'key', videoBasePath: set };
		const message = await testCredential(fields);
		const corrected = await testCredential({ ...fields, videoBasePath: right });
		expect(message).toBe(
			`The service has no video endpoints at ${set}. Set Video Base Path to ${right}: the service has them there.`,
		);
		expect(corrected).toBeUndefined();
	},
);

test.each(['500 Internal Server Error', '503 Service Unavailable', '429 Too Many Requests'])(
	'a Video Base Path that answers %s once is not called wrong, although the service has videos at both',
	async (status) => {
		serveVideosAt('/v1', unknownTask);
		const { respond } = service;
		service.respond = (request, earlier) =>
			request.startsWith('GET /media/') ? rawResponse(status, '') : respond(request, earlier);
		expect(await testCredential({ baseUrl: service.url, apiKey: 'key' })).toBeUndefined();
	},
);

test('a Base URL that ends in the path of the video endpoints is told so after a 404, and never rewritten', async () => {
	const advice = /^Endpoint not found\. Remove \/media from the Base URL in the credential, unless/;
	const respond = (request: string) =>
		request.startsWith('GET /media/v1/models ')
			? rawResponse('404 Not Found', '{"message":"no such path"}')
			: rawResponse('404 Not Found', unknownTask);
	service.respond = respond;
	for (const path of ['/media/v1', '/media', '/media/v1/'])
		expect(await testCredential({ baseUrl: service.url + path, apiKey: 'key' })).toMatch(advice);
	const parameters = { operation: 'get', taskId: 'task-1' };
	const credential = { baseUrl: `${service.url}/media/v1`, apiKey: 'key' };
	const { error } = await runNode(service, { node: 'videoGeneration', parameters, credential });
	// There, the service knows tasks.
	expect(error?.description).not.toContain('Remove /media');
	expect(service.requests.at(-1)).toMatch(/^GET \/media\/media\/v1\/video/);
});

test('a test ends although the lookup of the host by n8n does not', async () => {
	let giveUp = () => {};
	const body = Readable.from(['{}']);
	let respond: (response: object) => void = () => {};
	const lookup = new Promise<object>((resolve) => (respond = resolve));
	const send = credentialTestTransport((async () => await lookup) as never, false, 20_000);
	const sending = send({
		...{ method: 'GET', origin: simulator.url, path: '/v1/models', headers: {}, body: undefined },
		...{ connection: 'pooled', onWritten: () => {}, whenGivenUp: (close) => void (giveUp = close) },
	});
	giveUp();
	await expect(sending).rejects.toThrow('given up');
	respond({ statusCode: 200, headers: {}, body });
	await once(body, 'close');
	expect(body.destroyed).toBe(true);
});

test('a service that needs 12 seconds for each answer is no wrong credential', async () => {
	const time = new RequestClock();
	serveVideosAt('/v1', unknownTask);
	const { respond } = service;
	service.respond = (request, earlier) => ({
		...respond(request, earlier),
		after: new Promise((resolve) => time.after(12_000, resolve)),
	});
	const testing = testCredential({ baseUrl: service.url, apiKey: 'key' });
	for (const request of [1, 2]) {
		await until(() => service.requests.length === request);
		time.advance(12_000);
	}
	expect(await testing.finally(() => time.restore())).toBeUndefined();
});

test('the credential is valid if the service has no video endpoints or an unknown 404 for them', async () => {
	serveVideosAt('/media/v1', '{"code":"gone","message":"nothing here"}');
	expect(await testCredential({ baseUrl: service.url, apiKey: 'key' })).toBeUndefined();
});

test.each([
	['a trailing slash in the base URL', { baseUrl: (url: string) => `${url}//` }],
	['/v1 at the end of the base URL', { baseUrl: (url: string) => `${url}/v1/` }],
	['white space around the base URL', { baseUrl: (url: string) => ` ${url}\n` }],
	['the word Bearer before the key', { apiKey: (key: string) => `Bearer ${key}` }],
	['white space around the key', { apiKey: (key: string) => ` ${key}\n` }],
])('%s is accepted', async (_, change) => {
	const { baseUrl, apiKey } = credentialOf(simulator);
	const fields = {
		baseUrl: 'baseUrl' in change ? change.baseUrl(baseUrl) : baseUrl,
		apiKey: 'apiKey' in change ? change.apiKey(apiKey) : apiKey,
	};
	expect(await testCredential(fields)).toBeUndefined();
});

test.each([
	{ problem: 'a wrong key', apiKey: 'another-key', expected: /refused the API key.*mistyped/ },
	{ problem: 'an account without quota', fault: 'quota-not-enough', expected: /no quota left/ },
	{ problem: 'a wrong path in the base URL', path: '/v2', expected: /Check the Base URL/ },
	{ problem: 'a web page instead of the service', fault: 'html-200', expected: /not.*JSON/i },
	{ problem: 'an empty response', fault: 'empty-200', expected: /The response is not JSON/ },
	{ problem: 'a 401 with an empty body', fault: 'empty-401', expected: /refused the API key/ },
	{
		problem: 'a proxy that cannot reach the service',
		fault: 'html-502',
		expected: /server between n8n and the service responded/,
	},
	{
		problem: 'a login page in front of the service',
		fault: 'html-401',
		expected: /says nothing about .* key .* login page/,
	},
	{
		problem: 'a key that the service echoes',
		fault: 'echo-key-text',
		expected: /No such key: Bearer \[API key removed\]/,
	},
	{ problem: 'a lost connection', fault: 'lost', expected: /connection.*was lost/ },
])('$problem has a clear error', async ({ apiKey, fault, path = '', expected }) => {
	if (fault !== undefined) simulator.inject({ endpoint: 'models', fault });
	const fields = { apiKey: apiKey ?? simulator.key, baseUrl: `${simulator.url}${path}` };
	const message = await testCredential(fields);
	expect(message).toMatch(expected);
	expect(message).not.toContain(fields.apiKey);
});

test.each<[string, object, RegExp]>([
	// Nothing listens on this port.
	['a closed port', { baseUrl: 'http://127.0.0.1:9' }, /refused .*Check the Base URL and its port/],
	[
		'a host that does not exist',
		{ baseUrl: 'http://a.invalid' },
		/host name could not be (found|resolved)/,
	],
	['a missing key', { apiKey: ' ' }, /has no API Key/],
	['a missing base URL', { baseUrl: ' ' }, /has no Base URL/],
	['a port that does not exist', { baseUrl: 'http://host:99999/' }, /has the port 99999/],
	['a base URL that is no text', { baseUrl: 5 }, /Base URL is not valid/],
	[
		'a base URL without http://',
		{ baseUrl: 'gateway.example.com' },
		/ URL\. Put https:\/\/ before it\.$/,
	],
	['a host with a port', { baseUrl: 'localhost:8080/v1' }, / URL\. Put https:\/\/ before it\.$/],
	[
		'another protocol',
		{ baseUrl: 'ftp://a.test' },
		/ URL\. Enter it as in https:\/\/gateway\.example/,
	],
	['a base URL without a host', { baseUrl: 'https://' }, / URL\. Enter it as in https:\/\/gateway/],
	['a user name', { baseUrl: 'https://me@a.test' }, /user name or a password\. Remove the @/],
	['a password', { baseUrl: 'https://:pw@a.test' }, /user name or a password\. Remove the @/],
	['a fragment', { baseUrl: 'https://a.test#x' }, /fragment \(#\)\. Remove the \? or #/],
	['a query', { baseUrl: 'https://a.test?key=1' }, /query \(\?\).*\. Remove the \? or #/],
])('%s has a clear error', async (_problem, fields, expected) => {
	expect(await testCredential({ ...credentialOf(simulator), ...fields })).toMatch(expected);
	expect(simulator.requests).toEqual([]);
});

test('a base URL has at most 2048 characters, and one of any length is checked at once', async () => {
	const longest = `http://a.test/${'x'.repeat(2_034)}`;
	expect(parseCredential({ baseUrl: longest, apiKey: 'key' }).baseUrl).toBe(longest);
	const baseUrl = `${simulator.url}${'/'.repeat(50_000)}x`;
	expect(await testCredential({ baseUrl, apiKey: simulator.key })).toMatch(
		/The Base URL of the credential is longer than 2048 characters/,
	);
	expect(simulator.requests).toEqual([]);
});

test('a redirect is not followed, so the key goes to no other host', async () => {
	const redirecting = await startSimulator({ redirectTarget: service.url });
	redirecting.inject({ endpoint: 'models', fault: 'redirect-307' });
	const message = await testCredential(credentialOf(redirecting));
	await redirecting.close();
	expect(message).toMatch(/Redirects are not followed.*final URL/);
	expect(service.requests).toEqual([]);
});

test('testing a rate-limited key fails at once, each time', async () => {
	simulator.inject({ endpoint: 'models', fault: 'retry-after-year' });
	for (const clicks of [1, 2]) {
		expect(await testCredential(credentialOf(simulator))).toMatch(/asks to retry after/);
		expect(simulator.count('models')).toBe(clicks);
	}
});

test('a new credential with a URL and a key has what those alone mean', () => {
	const defaults = new GenerationServiceApi().properties.map((field) => [
		field.name,
		field.default,
	]);
	const filledIn = { baseUrl: 'https://gateway.example.com', apiKey: 'the-key' };
	expect(parseCredential({ ...Object.fromEntries(defaults), ...filledIn })).toEqual(
		parseCredential(filledIn),
	);
});

test('every field of the credential has an effect', () => {
	const read = new Set<unknown>();
	const fields: object = new Proxy(
		{ baseUrl: 'https://gateway.example.com', apiKey: 'the-key' },
		{ get: (target, name) => (read.add(name), Reflect.get(target, name)) as unknown },
	);
	parseCredential(fields);
	expect([...read]).toEqual(
		expect.arrayContaining(new GenerationServiceApi().properties.map(({ name }) => name)),
	);
});

test.each(['the-key', ' Bearer the-key ', 'bearer the-key'])(
	'HTTP Request with this credential sends the key "%s" as the nodes do',
	async (apiKey) => {
		const received: Array<string | undefined> = [];
		service.respond = (request) => {
			received.push(/^authorization: ([^\r\n]*)/im.exec(request)?.[1]);
			return rawJson({ data: [] });
		};
		const credential = { baseUrl: service.url, apiKey };
		const httpRequest = stubNode(
			'HTTP Request',
			async function () {
				const url = `${service.url}/v1/models`;
				const { httpRequestWithAuthentication: request } = this.helpers;
				await request.call(this, 'generationServiceApi', { url });
				return [[]];
			},
			{ credentials: [{ name: 'generationServiceApi' }] },
		);
		await runNode(simulator, { node: 'listModels', parameters: {}, credential });
		const listed = await runNode(simulator, {
			...{ node: 'listModels', parameters: {}, credential, nodeType: httpRequest },
			credentialTypes: { generationServiceApi: new GenerationServiceApi() },
		});
		expect(listed.error).toBeUndefined();
		expect(received).toEqual(['Bearer the-key', 'Bearer the-key']);
	},
);
