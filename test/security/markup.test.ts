import { rawJson, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { useRawServer } from '../engine/useServers';
import { runAgent, type Tool } from '../engine/runAgent';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

// n8n's editor shows the error of a node as HTML. Whoever fills in a form must not write a link there.

const service = useRawServer();

const LINK = '<a href="https://example.com" style="position:fixed;inset:0">Sign in</a>';
const PLAIN = LINK.replaceAll('<', '&lt;');
const TAGS = /<(?!br>)[a-z/!]/i;

const refuses = (message: string) => {
	service.respond = () =>
		rawJson({ code: 'no_such_thing', message, data: null }, '400 Bad Request');
};
const once = { options: { maxRetries: 0 } };

test.each<[string, NodeRun]>([
	['an answer', chatNode(once)],
	['a video', videoNode({ operation: 'submit', ...once })],
	['a list of models', { node: 'listModels', parameters: {} }],
])('in the error of %s, no tag of the service is left', async (_what, node) => {
	refuses(`No ${LINK} & <!-- x --> </p> a < b <3`);
	const { error } = await runNode(service, node);
	expect(error?.description).toContain(`No ${PLAIN} & &lt;!-- x --> &lt;/p> a < b <3`);
	expect(error?.description).not.toMatch(TAGS);
});

test('no tag of a task ID or an item is left, and each task has its line', async () => {
	service.respond = () =>
		rawJson({ code: 'task_not_found', message: LINK, data: null }, '404 Not Found');
	const taskId = 'task-<a>1</a>, task-2&x=<b>';
	const { error } = await runNode(service, videoNode({ operation: 'get', taskId, ...once }));
	expect(`${error?.message}${error?.description}`).not.toMatch(TAGS);
	expect(error?.description).toMatch(/<br>\nTasks of this run: .*<br>\n.*task-2&x=&lt;b>/);
});

test('no tag of what the server of a file says is left', async () => {
	service.respond = (request) =>
		request.startsWith('GET /clip')
			? rawResponse('410 Gone', `Gone: ${LINK}`, { 'content-type': 'text/plain' })
			: rawJson({ id: 't', status: 'completed', url: `${service.url}/clip?a=1&b=2` });
	const get = videoNode({ operation: 'get', taskId: 't', download: true, ...once });
	const { error } = await runNode(service, get);
	expect(error?.description).toContain(`Gone: ${PLAIN}`);
	expect(error?.description).toContain('/clip?a=1&b=2');
});

test('error items, streams and agents get what the service says as it is', async () => {
	refuses(`No ${LINK}`);
	const item = await runNode(service, { ...chatNode(once), onError: 'continueRegularOutput' });
	expect(item.items[0]?.json.error).toMatchObject({ description: expect.stringContaining(LINK) });
	const stream = await runNode(service, { ...chatNode(once), streaming: true });
	expect(stream.error?.description).toContain(LINK);
	const tools = [{ name: 'Ask', ...chatNode(once) }];
	const work = async ({ tools: [tool] }: { tools: Tool[] }) =>
		await tool!.invoke({}).catch((error: Error) => error.message);
	const { result } = await runAgent(service, { work, tools, withoutModel: true });
	expect(result).toContain(LINK);
});
