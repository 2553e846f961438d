import './ssrfProtection';
import dns from 'node:dns';
import type { Simulator } from '../../simulator';
import { type RawResponse, RawServer, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { videoNode } from '../nodes/videoNode';

/** The service is allowed by its name; another server of this machine is blocked, and must hear nothing. */
const service = new RawServer();
const blocked = new RawServer();
const lookups: string[] = [];
let answers: string[][];
let videoUrl: string;

beforeAll(async () => await Promise.all([service.listen(), blocked.listen()]));
beforeEach(() => {
	answers = [];
	lookups.length = 0;
	// Through this function n8n finds every address.
	jest.spyOn(dns.promises, 'lookup').mockImplementation(find as typeof dns.promises.lookup);
	service.respond = (request) => {
		const [, target] = /^GET \/redirect\?to=(\S+)/.exec(request) ?? [];
		if (target) return rawResponse('302 Found', '', { location: decodeURIComponent(target) });
		if (/^GET \/clip/.test(request))
			return rawResponse('200 OK', 'clip', { 'content-type': 'video/mp4' });
		const task = { id: 'task-1', status: 'completed', progress: 100, url: videoUrl };
		return json(request.startsWith('POST') ? { data: [{ ...task, status: 'processing' }] } : task);
	};
});
afterEach(() => {
	jest.restoreAllMocks();
	service.reset();
	blocked.reset();
});
afterAll(async () => await Promise.all([service.close(), blocked.close()]));

async function find(name: string, options: { all?: boolean }) {
	const own = name === 'localhost' || name.startsWith('127.');
	const addresses = own ? ['127.0.0.1'] : answers[Math.min(lookups.length, answers.length - 1)]!;
	if (!own) lookups.push(name);
	const found = addresses.map((address) => ({ address, family: 4 }));
	return await Promise.resolve(options.all ? found : found[0]);
}

const allowed = () => service.url.replace('127.0.0.1', 'localhost');
const submissions = () => service.requests.filter((request) => request.startsWith('POST'));

function json(body: unknown): RawResponse {
	return rawResponse('200 OK', JSON.stringify(body), { 'content-type': 'application/json' });
}

const generate = async (more: Partial<NodeRun> = {}) =>
	await runNode(service as unknown as Simulator, {
		...videoNode({ download: true, requestOptions: { maxRetries: 2 } }),
		credential: { baseUrl: allowed(), apiKey: 'key-of-tests' },
		onError: 'continueRegularOutput',
		...more,
	});

const blockedHost = (name: string) => blocked.url.replace('127.0.0.1', name);
const PUBLIC = '127.0.0.2';
const PRIVATE = '127.0.0.1';

/** Where the video's address leads, and what its host name is found at, look after look. */
const WAYS: Array<[string, () => string, string[][]]> = [
	[
		'a name that is first found at a public and then at a blocked address',
		() => blockedHost('clips.test'),
		[[PUBLIC], [PRIVATE]],
	],
	[
		'a name that is found at a public and a blocked address at once',
		() => blockedHost('clips.test'),
		[[PUBLIC, PRIVATE]],
	],
	['a redirect to a blocked address', () => redirectTo(blocked.url), []],
	[
		'a redirect to a name that is found at a blocked address',
		() => redirectTo(blockedHost('inner.test')),
		[[PRIVATE]],
	],
	[
		'a redirect to a name that is first found at a public and then at a blocked address',
		() => redirectTo(blockedHost('inner.test')),
		[[PUBLIC], [PRIVATE]],
	],
	['a second redirect to a blocked address', () => redirectTo(redirectTo(blocked.url)), []],
];

function redirectTo(address: string): string {
	return `${allowed()}/redirect?to=${encodeURIComponent(address)}`;
}

test.each(WAYS)(
	'a video at %s is not fetched, and its task and address stay known',
	async (_way, address, found) => {
		answers = found;
		videoUrl = address();
		const { items } = await generate();
		expect(items[0]?.json.error).toMatchObject({
			message: "n8n's SSRF protection blocks the URL of the video",
			description: expect.stringMatching(/administrator.*Get with this task ID/) as string,
			code: 'download_blocked',
			task_id: 'task-1',
			url: videoUrl,
		});
		expect(blocked.connections).toBe(0);
		expect(submissions()).toHaveLength(1);
	},
);

test('a blocked video is told with its task when the workflow stops, and Retry On Fail pays for no other', async () => {
	answers = [[PUBLIC], [PRIVATE]];
	videoUrl = blockedHost('clips.test');
	const { error } = await generate({ onError: 'stopWorkflow', tries: 3 });
	expect(error?.message).toMatch(/SSRF protection blocks the URL of the video/);
	expect(error?.description).toContain(`task-1: completed, ${videoUrl}`);
	expect(blocked.connections).toBe(0);
	expect(submissions()).toHaveLength(1);
});

test('a video at a name that is found at an allowed address, also behind a redirect, is fetched', async () => {
	videoUrl = redirectTo(`${allowed()}/clip.mp4`);
	const { items } = await generate();
	expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
});

test('a service whose name is first found at a public and then at a blocked address gets no request and no key', async () => {
	answers = [[PUBLIC], [PRIVATE]];
	const credential = { baseUrl: blockedHost('service.test'), apiKey: 'key-of-tests' };
	const { items } = await generate({ credential });
	expect(items[0]?.json.error).toMatchObject({
		message: "n8n's SSRF protection blocks the URL of the service",
		description: expect.stringMatching(/administrator.*Base URL/) as string,
		may_have_been_accepted: false,
	});
	expect(lookups).toHaveLength(2);
	expect(blocked.connections).toBe(0);
});
