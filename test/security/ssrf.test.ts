import './ssrfProtection';
import dns from 'node:dns';
import { rawJson, rawResponse } from '../engine/rawServer';
import { credentialOf, type NodeRun, runNode } from '../engine/runNode';
import { testCredential } from '../engine/testCredential';
import { useRawServer, useSimulator } from '../engine/useServers';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

/** n8n allows the service by its host name. The other server is blocked and must get no connection. */
const service = useRawServer();
const blocked = useRawServer();
const simulator = useSimulator();
const lookups: string[] = [];
let resolvedAddresses: string[][];
let videoUrl: string;

beforeEach(() => {
	resolvedAddresses = [];
	lookups.length = 0;
	// n8n resolves every host name with this function.
	jest.spyOn(dns.promises, 'lookup').mockImplementation(lookup as typeof dns.promises.lookup);
	service.respond = (request) => {
		const [, target] = /^GET \/redirect\?to=(\S+)/.exec(request) ?? [];
		if (target) return rawResponse('302 Found', '', { location: decodeURIComponent(target) });
		if (/^GET \/clip/.test(request))
			return rawResponse('200 OK', '\0\0\0\x18ftypisom', { 'content-type': 'video/mp4' });
		const task = { id: 'task-1', status: 'completed', progress: 100, url: videoUrl };
		return rawJson(
			request.startsWith('POST') ? { data: [{ ...task, status: 'processing' }] } : task,
		);
	};
});

async function lookup(name: string, options: { all?: boolean }) {
	const isLocal = name === 'localhost' || name.startsWith('127.');
	const addresses = isLocal
		? ['127.0.0.1']
		: resolvedAddresses[Math.min(lookups.length, resolvedAddresses.length - 1)]!;
	if (!isLocal) lookups.push(name);
	const results = addresses.map((address) => ({ address, family: 4 }));
	return await Promise.resolve(options.all ? results : results[0]);
}

const allowed = () => service.url.replace('127.0.0.1', 'localhost');
const submissions = () => service.requests.filter((request) => request.startsWith('POST'));

const generate = async (more: Partial<NodeRun> = {}) =>
	await runNode(service, {
		...videoNode({ download: true, options: { maxRetries: 2 } }),
		credential: { baseUrl: allowed(), apiKey: 'key-of-tests' },
		onError: 'continueRegularOutput',
		...more,
	});

const blockedHost = (name: string) => blocked.url.replace('127.0.0.1', name);
const PUBLIC = '127.0.0.2';
const PRIVATE = '127.0.0.1';

test.each<[string, NodeRun]>([
	['Chat Completion', chatNode()],
	['List Models', { node: 'listModels', parameters: {} }],
	['Video Generation', videoNode({ download: true })],
])("n8n's SSRF protection blocks %s before a connection is opened", async (_name, run) => {
	const { error } = await runNode(blocked, run);
	expect(error?.message).toMatch(/SSRF/);
	expect(error?.description).toMatch(/administrator|Base URL/);
	expect(blocked.connections).toBe(0);
});

test("n8n's SSRF protection applies to the test of the credential", async () => {
	expect(await testCredential(credentialOf(blocked))).toMatch(
		/SSRF protection blocks.*administrator/,
	);
	expect(blocked.connections).toBe(0);
	const { baseUrl, apiKey } = credentialOf(simulator);
	const allowedUrl = baseUrl.replace('127.0.0.1', 'localhost');
	expect(await testCredential({ baseUrl: allowedUrl, apiKey })).toBeUndefined();
});

/** A video URL, and the addresses of its host name in each DNS lookup. */
const BLOCKED_URLS: Array<[string, () => string, string[][]]> = [
	[
		'a host name that resolves first to a public and then to a blocked address',
		() => blockedHost('clips.test'),
		[[PUBLIC], [PRIVATE]],
	],
	[
		'a host name that resolves to both a public and a blocked address',
		() => blockedHost('clips.test'),
		[[PUBLIC, PRIVATE]],
	],
	['a redirect to a blocked address', () => redirectTo(blocked.url), []],
	[
		'a redirect to a host name that resolves to a blocked address',
		() => redirectTo(blockedHost('inner.test')),
		[[PRIVATE]],
	],
	[
		'a redirect to a host name that resolves first to a public and then to a blocked address',
		() => redirectTo(blockedHost('inner.test')),
		[[PUBLIC], [PRIVATE]],
	],
	['a second redirect to a blocked address', () => redirectTo(redirectTo(blocked.url)), []],
];

function redirectTo(address: string): string {
	return `${allowed()}/redirect?to=${encodeURIComponent(address)}`;
}

test.each(BLOCKED_URLS)(
	'a video at %s is not downloaded, with the task ID and URL in the error',
	async (_way, address, results) => {
		resolvedAddresses = results;
		videoUrl = address();
		const { items } = await generate();
		expect(items[0]?.json.error).toMatchObject({
			message: "n8n's SSRF protection blocks the URL of the video",
			description: expect.stringMatching(/administrator.*operation Get/),
			code: 'download_blocked',
			task_id: 'task-1',
			url: videoUrl,
		});
		expect(blocked.connections).toBe(0);
		expect(submissions()).toHaveLength(1);
		// Another try would end in the same way.
		const redirects = service.requests.filter((request) => request.startsWith('GET /redirect'));
		expect(new Set(redirects).size).toBe(redirects.length);
	},
);

test('a video behind a redirect to an allowed host name is downloaded', async () => {
	videoUrl = redirectTo(`${allowed()}/clip.mp4`);
	const { items } = await generate();
	expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
});

test('a service whose host name resolves first to a public and then to a blocked address gets no request', async () => {
	resolvedAddresses = [[PUBLIC], [PRIVATE]];
	const credential = { baseUrl: blockedHost('service.test'), apiKey: 'key-of-tests' };
	const { items } = await generate({ credential });
	expect(items[0]?.json.error).toMatchObject({
		message: "n8n's SSRF protection blocks the URL of the service",
		description: expect.stringMatching(/administrator.*Base URL/),
		may_have_been_accepted: false,
	});
	expect(lookups).toHaveLength(2);
	expect(blocked.connections).toBe(0);
});
