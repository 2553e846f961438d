import { createServer, type IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { type Simulator, startSimulator } from '../../simulator';
import { listen } from '../engine/localServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

const MARKER = 'marker-5f0c/27+ae=';
let simulator: Simulator;
let otherServer: ReturnType<typeof createServer>;
/** The headers of all requests to the other server. */
const otherHostHeaders: IncomingHttpHeaders[] = [];

beforeAll(async () => {
	otherServer = createServer((request, response) => {
		otherHostHeaders.push(request.headers);
		response.setHeader('content-type', 'video/mp4').end('a video on another host');
	});
	simulator = await startSimulator({
		key: MARKER,
		videoSeconds: 0,
		redirectTarget: `http://${await listen(otherServer)}`,
	});
});
afterEach(() => {
	simulator.reset();
	otherHostHeaders.length = 0;
});
afterAll(async () => {
	otherServer.close();
	await simulator.close();
});

const requestOptions = { maxRetries: 0 };
const chat = (stream: boolean) => chatNode({ options: { stream }, requestOptions });
const models: NodeRun = { node: 'listModels', parameters: { requestOptions } };
const video = (parameters: INodeParameters = {}) =>
	videoNode({ waitOptions: { pollInterval: 0.02, maxWait: 0.3 }, requestOptions, ...parameters });

test.each([301, 302, 303, 307, 308])(
	'a redirect (%s) of the service to another host is not followed',
	async (status) => {
		for (const [endpoint, run] of [
			['chat', chat(false)],
			['chatStream', chat(true)],
			['models', models],
			['submit', video()],
			['poll', video()],
		] as const) {
			simulator.inject({ endpoint, fault: `redirect-${status}` });
			const { error } = await runNode(simulator, run);
			expect(error?.message).toBeDefined();
		}
		expect(otherHostHeaders).toEqual([]);
	},
);

test('a redirect of a video to another host is followed without the key', async () => {
	simulator.inject({ endpoint: 'download', fault: 'redirect-302' });
	const { items } = await runNode(simulator, video({ download: true }));
	expect(items[0]?.binary?.data).toBeDefined();
	expect(otherHostHeaders).toHaveLength(1);
	expect(inspect(otherHostHeaders)).not.toContain(MARKER);
	expect(otherHostHeaders[0]?.authorization).toBeUndefined();
});
