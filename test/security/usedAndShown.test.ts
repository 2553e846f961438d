import type { INodeParameters } from 'n8n-workflow';
import { rawJson, rawResponse } from '../engine/rawServer';
import { type NodeResult, runNode } from '../engine/runNode';
import { useLog } from '../engine/useLog';
import { useRawServer } from '../engine/useServers';
import { videoNode } from '../nodes/video/videoNode';

const MARKER = 'marker-Key/of+"tests=08&15';
const service = useRawServer();
const logged = useLog('debug', 'info', 'warn');
const FILE = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom'), Buffer.alloc(90)]);
let paths = 0;

const pathOf = (request: string) => request.split(' ')[1] ?? '';

/** A service whose IDs and URLs contain the key. */
function serve(inId: string, { ends = 'completed', fileStatus = '200 OK', told = '' } = {}) {
	const id = `task ${inId}/1`;
	const file = `/files/${encodeURIComponent(MARKER)}.mp4?key=${encodeURIComponent(MARKER)}`;
	const url = `${service.url}${file}`;
	service.respond = (request) => {
		if (request.startsWith('POST'))
			return rawJson({ id: `request ${MARKER}`, data: [{ id, status: 'processing' }] });
		if (pathOf(request) === file)
			return rawResponse(fileStatus, fileStatus === '200 OK' ? FILE : '', {
				'content-type': 'video/mp4',
			});
		if (pathOf(request).endsWith(`/${encodeURIComponent(id)}`)) {
			const error = { code: 'upstream', message: `Refused ${MARKER}` };
			const whole = { id: told || id, status: ends, url, note: `It is ${MARKER}` };
			return rawJson(ends === 'failed' ? { ...whole, error } : whole);
		}
		return rawJson(
			{ code: 'task_not_found', message: `No task ${decodeURIComponent(pathOf(request))}` },
			'404 No',
		);
	};
	return { id, url };
}

async function run(parameters: INodeParameters, onError = true): Promise<NodeResult> {
	// A service of its own, because a rate limiter is shared per service and key.
	const credential = { baseUrl: `${service.url}/${(paths += 1)}`, apiKey: MARKER };
	return await runNode(service, {
		...videoNode({ simplify: false, options: { maxRetries: 0 }, ...parameters }),
		credential,
		...(onError && { onError: 'continueRegularOutput' as const }),
	});
}

/** What a user sees of a run; n8n stores the book of paid work apart. */
function expectHidden({ items, errors, error, hints, chunks }: NodeResult): void {
	const shown = [items, errors, error?.message, error?.description, hints, chunks, logged];
	const text = JSON.stringify(shown);
	expect(text).toContain('[API key removed]');
	expect(text).not.toMatch(/marker|tests(=|%3D)|08(&|%26)15/i);
}

describe.each([
	['as it is', MARKER],
	['percent-encoded', encodeURIComponent(MARKER)],
])('a task whose ID and URL contain the key %s', (_form, inId) => {
	test('is polled and downloaded, and shown without it', async () => {
		serve(inId);
		const result = await run({ download: true });
		expect(result.items).toHaveLength(1);
		expect(result.items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
		const url = `${service.url}/files/[API key removed].mp4?key=[API key removed]`;
		expect(result.items[0]?.json).toMatchObject({ status: 'completed', url });
		expect(result.items[0]?.json).not.toHaveProperty('used');
		expectHidden(result);
	});

	test.each([
		['failed', { ends: 'failed' }, 'upstream'],
		['ended in another word', { ends: 'expired' }, 'task_failed'],
		['not downloaded', { fileStatus: '404 Not Found' }, 'download_refused'],
	])('that is %s has an error without it', async (_what, options, code) => {
		serve(inId, options);
		const result = await run({ download: true });
		expect(result.items[0]?.json.error).toMatchObject({ code });
		expectHidden(result);
		expectHidden(await run({ download: true }, false));
	});

	test('is found by an ID with a space that an expression gives', async () => {
		const { id } = serve(inId);
		const result = await run({ operation: 'get', taskId: `=${id}`, download: true });
		expect(result.items[0]?.binary).toBeDefined();
		expectHidden(result);
		serve('another');
		expectHidden(await run({ operation: 'get', taskId: `=${id}` }));
	});
});

test.each([
	['download', `Not yet, ${MARKER}`],
	['inline video', Buffer.from(`Not yet, ${MARKER}`).toString('base64')],
])('the text that comes instead of a %s is shown without the key', async (where, text) => {
	const place = where === 'download' ? { url: `${service.url}/clip` } : { b64_json: text };
	service.respond = (request) =>
		pathOf(request) === '/clip'
			? rawResponse('200 OK', text)
			: rawJson({ id: 'a', status: 'completed', ...place });
	const result = await run({ operation: 'get', taskId: 'a', download: true });
	expect(result.items[0]?.json.error).toMatchObject({ code: 'download_refused' });
	expectHidden(result);
});

test('a task that the service calls otherwise in each poll is told once, with both IDs', async () => {
	let polls = 0;
	serve('x', { told: 'other' });
	const { respond } = service;
	service.respond = (request, earlier) => {
		if (!/^GET \S*generations/.test(request)) return respond(request, earlier);
		polls += 1;
		return rawJson({ id: `poll-${polls}`, status: polls < 4 ? 'processing' : 'completed' });
	};
	const { hints } = await run({});
	expect(hints.filter((hint) => hint.includes('task x/1 of item 0 (poll-4)'))).toHaveLength(1);
});

test('at debug level, where n8n logs descriptions, the URLs of tasks have no query', async () => {
	const task = { id: 'a', status: 'completed', url: `${service.url}/no.mp4?signature=5` };
	service.respond = (request) => {
		if (request.startsWith('POST')) return rawJson({ data: [{ id: 'a', status: 'processing' }] });
		return /generations/.test(pathOf(request)) ? rawJson(task) : rawResponse('404 No', '');
	};
	const { error } = await run({ download: true }, false);
	expect(error?.description).toContain('/no.mp4');
	expect(error?.description).not.toContain('signature');
});
