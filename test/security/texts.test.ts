import { useRawServer } from '../engine/useServers';
import { rawJson, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { useLog } from '../engine/useLog';
import { stopWhen } from '../clock/until';
import { videoNode } from '../nodes/video/videoNode';

const service = useRawServer();
const lines = useLog('info', 'warn');

const run = async (options: NodeRun) => await runNode(service, options);

const FORGED = 'task\n\u001b[31m2026-01-01 | error | Database lost\u202e\u2028';
const SIGNED = 'https://videos.example/boat.mp4?signature=secret';
const INLINE = `data:video/mp4;base64,${'QUJD'.repeat(25_000)}`;

/** What the service says of tasks by their ids; all are created by the first submission. */
function serviceOf(tasks: Record<string, object>): void {
	service.respond = (request) => {
		if (request.startsWith('POST'))
			return rawJson({ data: Object.keys(tasks).map((id) => ({ id })) });
		const id = decodeURIComponent(/generations\/(\S*)/.exec(request)?.[1] ?? '');
		return rawJson(tasks[id] ?? {});
	};
}

const NO_CONTROLS = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u;

test('a task ID that is a URL is logged without its query', async () => {
	serviceOf({ [SIGNED]: { status: 'completed', url: SIGNED } });
	const { run: ended } = await run(videoNode());
	expect(lines.length).toBeGreaterThan(0);
	expect(lines.join()).toContain('https://videos.example/boat.mp4');
	expect(lines.join()).not.toContain('secret');
	expect(ended.data.resultData.metadata?.video_task_ids).toBe(SIGNED);
});

describe('at debug level', () => {
	const requests = useLog('debug');

	test('the polls of a task ID that is a URL are logged without its query', async () => {
		serviceOf({ [SIGNED]: { status: 'completed', url: SIGNED } });
		await run(videoNode());
		expect(requests.join()).toContain('boat.mp4');
		expect(requests.join()).not.toContain('secret');
	});
});

const CODE = `no ${FORGED} ${'x'.repeat(500)}`;

test.each<[string, object, object]>([
	['an error', { code: CODE, message: 'No' }, {}],
	['the type of an error', { error: { type: CODE, message: 'No' } }, {}],
	['a failed task', {}, { code: CODE, message: 'No' }],
])('the code of %s is one line of at most 100 characters', async (_what, refusal, failure) => {
	const isRefused = Object.keys(refusal).length > 0;
	service.respond = (request) => {
		if (request.startsWith('POST') && isRefused)
			return rawResponse('400 Bad Request', JSON.stringify(refusal));
		if (request.startsWith('POST')) return rawResponse('200 OK', '{"data":[{"id":"t"}]}');
		return rawJson({ id: 't', status: 'failed', error: failure });
	};
	const { items } = await run({ ...videoNode(), onError: 'continueRegularOutput' });
	const { code } = items[0]?.json.error as { code: string };
	expect(code).toMatch(/^no task\\u000a.*x…$/);
	expect(code).toMatch(NO_CONTROLS);
	expect(code.length).toBeLessThanOrEqual(100);
});

test('a failed task says so in one line, whatever its ID', async () => {
	serviceOf({ [FORGED]: { status: 'failed', error: FORGED } });
	const { error } = await run(videoNode());
	expect(error?.message).toMatch(NO_CONTROLS);
	expect(error?.message).toMatch(/^The service could not generate the video of task task\\u000a/);
});

const threeTasks = {
	good: { status: 'completed', url: SIGNED },
	inline: { status: 'completed', url: INLINE },
	endless: { status: 'processing', url: `https://videos.example/${'x'.repeat(3_000)}` },
	bad: { status: 'failed', error: { message: 'No boats' } },
};

test('the URL of a video is in the description of an error, and in no log and no message', async () => {
	serviceOf(threeTasks);
	const waitOptions = { pollInterval: 0.02, maxWait: 0.2 };
	const { error } = await run(videoNode({ waitOptions }));
	expect(error?.description).toContain(`good: completed, ${SIGNED}`);
	expect(error?.description).toMatch(/inline: completed<br>/);
	expect(error?.description).not.toContain('data:');
	expect(error?.description).not.toContain('still being made');
	expect([error?.message, ...lines].join()).not.toMatch(/https:|data:|Tasks of this run/);
});

test('a stopped run logs and throws the IDs of its tasks without their URLs', async () => {
	serviceOf(threeTasks);
	const { error } = await stopWhen(
		() => service.requests.length > 8,
		async (signal) => await run({ ...videoNode(), signal }),
	);
	expect(lines.at(-1)).toMatch(
		/Tasks of this run: \[item 0\] good: completed \[item 0\] inline: completed/,
	);
	expect(error?.message).toContain('good: completed');
	expect([error?.message, ...lines].join()).not.toMatch(/https:|data:/);
});

test('an error item has no inline data', async () => {
	serviceOf({ inline: { status: 'failed', url: INLINE } });
	const { items } = await run({ ...videoNode(), onError: 'continueRegularOutput' });
	expect(items[0]?.json.error).toMatchObject({ task_id: 'inline', url: null });
	expect(JSON.stringify(items).length).toBeLessThan(2_000);
});

test('a reason of the service is one line of a message', async () => {
	const body = JSON.stringify({
		code: 'content_filtered',
		message: 'No',
		data: { reason: `${FORGED} ${SIGNED}` },
	});
	service.respond = () => rawResponse('400 Bad Request', body);
	const { error } = await run(videoNode());
	expect(error?.message).toMatch(NO_CONTROLS);
	expect(error?.message).toContain('Database lost');
	expect(error?.message).not.toContain('https:');
});
