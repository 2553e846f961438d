import { useRawServer } from '../engine/useServers';
import type { INodeParameters } from 'n8n-workflow';
import { head, type RawResponse } from '../engine/rawServer';
import { type NodeResult, type NodeRun, runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';
import { visibleOutput } from './visibleOutput';

/** A key whose characters are also valid in the name of a header. */
const MARKER = 'marker-5f0c.27+ae';
const service = useRawServer();
const logged: string[] = [];
let services = 0;
/** The head of every response, which contains the key. */
let responseHead: { statusLine: string; headers: Record<string, string> };

beforeEach(() => {
	for (const stream of [process.stdout, process.stderr]) {
		jest.spyOn(stream, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
	}
	service.respond = (request) => respond(request);
});
afterEach(() => {
	jest.restoreAllMocks();
	logged.length = 0;
});

const ERROR_BODY = JSON.stringify({ code: 'rate_limit_exceeded', message: 'Not now', data: null });

function respond(request: string): RawResponse {
	const { statusLine, headers } = responseHead;
	const [type, body] = /^2/.test(statusLine)
		? successBody(request)
		: ['application/json', ERROR_BODY];
	const length = String(Buffer.byteLength(body));
	const start = head(statusLine, { 'content-type': type, 'content-length': length, ...headers });
	return { packets: [Buffer.concat([start, Buffer.from(body)])], then: 'ends' };
}

function successBody(request: string): [type: string, body: string] {
	const choice = { index: 0, finish_reason: 'stop' };
	const task = { id: 'task-1', status: 'completed', url: `${service.url}/clip.mp4` };
	if (request.startsWith('GET /clip')) return ['video/mp4', 'a clip'];
	if (/^GET \S+\/models /.test(request)) return ['application/json', '{"data":[{"id":"m"}]}'];
	if (request.startsWith('GET')) return ['application/json', JSON.stringify(task)];
	if (!/^POST \S+\/chat\//.test(request))
		return ['application/json', JSON.stringify({ data: [{ ...task, status: 'processing' }] })];
	const stream = request.includes('"stream":true');
	const message = { [stream ? 'delta' : 'message']: { role: 'assistant', content: 'Hello' } };
	const json = JSON.stringify({ choices: [{ ...choice, ...message }] });
	return stream
		? ['text/event-stream', `data: ${json}\n\ndata: [DONE]\n\n`]
		: ['application/json', json];
}

const once = { options: { maxRetries: 0 } };
const chat = (stream: boolean): NodeRun => ({
	...chatNode({ options: { ...once.options, stream } }),
	streaming: stream,
});
const video = (parameters: INodeParameters) => videoNode({ ...once, ...parameters });
const RUNS: NodeRun[] = [
	chat(false),
	{ ...chat(false), onError: 'continueRegularOutput' },
	chat(true),
	{ node: 'listModels', parameters: once },
	video({ download: true }),
	video({ operation: 'get', taskId: 'task-1', download: true }),
];

const STATUSES = ['200 OK', '302 Found', '401 No', '429 Later'];
const HEADERS = [
	'x-echo',
	'set-cookie',
	'location',
	'www-authenticate',
	'content-type',
	'content-encoding',
	'content-length',
	'transfer-encoding',
	'content-disposition',
	'connection',
	'date',
	'retry-after',
	'x-ratelimit-limit-requests',
	'x-ratelimit-remaining-requests',
	'x-ratelimit-reset-requests',
];
const HEADS: Record<string, typeof responseHead> = {
	...Object.fromEntries(
		STATUSES.flatMap((status) => [
			[`the status text of ${status}`, { statusLine: `${status} ${MARKER}`, headers: {} }],
			[`the name of a header of ${status}`, { statusLine: status, headers: { [MARKER]: 'x' } }],
			[
				`an invalid header of ${status}`,
				{ statusLine: status, headers: { [`${MARKER} ${MARKER}`]: 'x' } },
			],
			...HEADERS.map((name) => [
				`${name} of ${status}`,
				{ statusLine: status, headers: { [name]: `${valueStart(name)}${MARKER}` } },
			]),
		]),
	),
	'an invalid status line': { statusLine: MARKER, headers: {} },
};

function valueStart(name: string): string {
	if (name === 'content-type') return 'video/mp4; by=';
	return name === 'location' ? 'http://' : '';
}

function expectHidden(result: NodeResult): void {
	const output = visibleOutput(result, logged);
	expect(output.toLowerCase()).not.toContain(MARKER);
	expect(output).not.toContain(Buffer.from(MARKER).toString('base64'));
}

// A sum, no product: each head for an answer, and for one of the other runs in turn.
test.each(Object.entries(HEADS).map(([where, withKey], index) => [where, withKey, index] as const))(
	'a key echoed in %s is not visible anywhere',
	async (_where, headWithKey, index) => {
		responseHead = headWithKey;
		const [first, ...others] = RUNS;
		const runs = [first!, others[index % others.length]!];
		for (const run of runs) {
			// A service of its own, because a rate limiter is shared per service and key.
			const credential = { baseUrl: `${service.url}/${(services += 1)}`, apiKey: MARKER };
			expectHidden(await runNode(service, { ...run, credential }));
		}
		expect(service.requests.length).toBeGreaterThanOrEqual(runs.length);
	},
);
