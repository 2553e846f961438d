import { version } from '../../package.json';
import { rawJson } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { useRawServer } from '../engine/useServers';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

const service = useRawServer();

/** The headers of each request that a node sends. */
async function headersOf(node: NodeRun): Promise<Array<Record<string, string>>> {
	await runNode(service, node);
	return service.requests.map((request) => {
		const [head = ''] = request.split('\r\n\r\n');
		const fields = head.split('\r\n').slice(1);
		return Object.fromEntries(
			fields.map((field) => {
				const [name = '', ...value] = field.split(': ');
				return [name.toLowerCase(), value.join(': ')];
			}),
		);
	});
}

const answer = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
const submitted = { id: 'r', data: [{ id: 't', status: 'processing' }] };
const video = () => ({ id: 't', status: 'completed', url: `${service.url}/boat.mp4` });
const key = `Bearer ${service.key}`;
const json = { accept: 'application/json', authorization: key };
const post = { ...json, 'content-type': 'application/json' };

test.each<[string, NodeRun, () => object, Array<Record<string, string>>]>([
	['a chat', chatNode(), () => answer, [post]],
	[
		'a streamed chat',
		chatNode({ options: { stream: true } }),
		() => answer,
		[{ ...post, accept: 'text/event-stream' }],
	],
	['a list of models', { node: 'listModels', parameters: {} }, () => ({ data: ['m'] }), [json]],
	['a submission', videoNode({ operation: 'submit' }), () => submitted, [post]],
	[
		'a poll and a download',
		videoNode({ operation: 'get', taskId: 't', download: true, options: { maxRetries: 0 } }),
		video,
		[json, { accept: 'application/json, text/plain, */*' }],
	],
])(
	'%s has only headers that are known, and names the version',
	async (_what, node, body, expected) => {
		service.respond = () => rawJson(body());
		const requests = await headersOf(node);
		expect(requests).toEqual(
			expected.map((headers) => ({
				...headers,
				'user-agent': `n8n-nodes-generation-service/${version}`,
				host: new URL(service.url).host,
				connection: expect.stringMatching(/^(keep-alive|close)$/),
				'accept-encoding': expect.stringMatching(
					/^(gzip, br|identity|gzip, compress, deflate, br)$/,
				),
				...('content-type' in headers && {
					'content-length': expect.stringMatching(/^\d+$/),
				}),
			})),
		);
	},
);
