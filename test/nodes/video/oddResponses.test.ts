import { useRawServer } from '../../engine/useServers';
import { type RawResponse, rawJson, rawResponse } from '../../engine/rawServer';
import { credentialOf, type NodeRun } from '../../engine/runNode';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { videoNode } from './videoNode';

const service = useRawServer();
let keys = 0;
const { simulator, runNode } = useVirtualTime();

const video = (id: unknown, more: object = {}) => ({
	id,
	status: 'completed',
	progress: 100,
	url: `${service.url}/clip`,
	...more,
});

/** Runs the node against a service that accepts a submission and then sends these responses to polls. */
async function generate(
	polls: RawResponse[],
	parameters: NodeRun['parameters'] = {},
	{
		id = 'task-1',
		clip = rawResponse('200 OK', '\0\0\0\x18ftyp'),
	}: { id?: unknown; clip?: RawResponse } = {},
) {
	service.respond = (request) => {
		if (request.startsWith('POST')) return rawJson({ id: 'request-1', data: [{ id }] });
		if (request.startsWith('GET /clip')) return clip;
		return polls.length > 1 ? polls.shift()! : polls[0]!;
	};
	return await run(parameters);
}

async function run(parameters: NodeRun['parameters'] = {}, path = '') {
	return await runNode({
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: 'A boat',
			waitOptions: { pollInterval: 0.02 },
			...parameters,
		},
		// A new key for each run, so that the rate limit of one test does not affect another.
		credential: { baseUrl: service.url + path, apiKey: `key-${(keys += 1)}` },
		onError: 'continueRegularOutput',
	});
}

test('a video request without an endpoint has the advice to choose the other path', async () => {
	const noRoute = rawResponse('404 Not Found', '{"message":"No such route"}');
	const { items } = await generate([noRoute], { operation: 'get', taskId: 'task-1' });
	expect(items[0]?.json.error).toMatchObject({
		description: expect.stringContaining('If only video requests fail, choose the other'),
	});
});

test('below a path of the Base URL, the address of the task itself is no video, and a path is one of the service', async () => {
	let asked = '';
	service.respond = (request) => {
		if (request.startsWith('POST')) return rawJson({ data: [{ id: 'task-1' }] });
		asked = service.url + request.split(' ')[1];
		return rawJson({ status: 'completed', url: asked, video: '/files/clip.mp4' });
	};
	const { items } = await run({}, '/api');
	expect(asked).toMatch(/\/api\/media\/v1\/video\/generations\/task-1$/);
	expect(items[0]?.json.url).toBe(`${service.url}/files/clip.mp4`);
});

test.each(['COMPLETED', 'Completed', ' completed '])(
	'a video with the status "%s" is finished',
	async (status) => {
		const { items } = await generate([
			rawJson(video('task-1', { status: 'PROCESSING' })),
			rawJson(video('task-1', { status })),
		]);
		expect(items.map(({ json: fields }) => fields)).toMatchObject([{ status: 'completed' }]);
	},
);

test.each([
	['an empty status', { status: '' }],
	['a null status', { status: null }],
	['no status', { status: undefined }],
])('a video with %s is finished if it has a URL and progress 100', async (_, more) => {
	const { items } = await generate([
		rawJson(video('task-1', { ...more, progress: 50, url: null })),
		rawJson(video('task-1', { ...more, progress: '100%' })),
	]);
	expect(items[0]?.json).toMatchObject({ status: 'completed', url: `${service.url}/clip` });
});

test('white space around a URL is none of it', async () => {
	const url = `${service.url}/clip`;
	const { items } = await generate([rawJson(video('task-1', { url: `\t${url} ` }))], {
		download: true,
	});
	expect(items).toMatchObject([{ json: { url }, binary: { data: { mimeType: 'video/mp4' } } }]);
	const refused = await generate(
		[rawJson(video('task-1', { url: ` ${url}\n` }))],
		{ download: true },
		{ clip: rawResponse('401 Unauthorized', '') },
	);
	expect(refused.items).toMatchObject([{ json: { error: { code: 'download_refused', url } } }]);
});

test.each([['ftp://files.example/clip'], [undefined]])(
	'the error about a video with the URL %s quotes what the service said of the task',
	async (url) => {
		const { items } = await generate([rawJson(video('task-1', { url, note: 'Removed' }))], {
			download: true,
			waitOptions: { pollInterval: 0.02, maxWait: 0.1 },
		});
		const description = expect.stringContaining('"note":"Removed"') as string;
		expect(items).toMatchObject([
			{ json: { error: { code: 'download_refused', url: url ?? null, description } } },
		]);
	},
);

test('a task ID may be a number, also one that JavaScript would round', async () => {
	const id = '1934567890123456789';
	const prompt = `Say {\\"id\\": ${id}, \\"n\\": 1}`;
	const submitted = `{"model":"m\\"","id" : 1734567890123456789 ,"data":[{"status":"queued","id":\n${id}\n}]}`;
	const polled = `{"id":${id},"status":"completed","metadata":{"duration":${id}},"revised_prompt":"${prompt}"}`;
	service.respond = (request) =>
		rawResponse('200 OK', request.startsWith('POST') ? submitted : polled);
	const { items } = await run();
	expect(items[0]?.json).toMatchObject({
		task_id: id,
		request_id: '1734567890123456789',
		revised_prompt: `Say {"id": ${id}, "n": 1}`,
		duration: Number(id),
	});
	expect(service.requests.at(-1)).toMatch(new RegExp(`^GET \\S+/${id} `));
});

test.each<[string, object]>([
	['null fields', { id: null, object: null, created: null, model: null }],
	['numbers as text and text as numbers', { id: 7, object: 1, created: '1760000000', model: 5 }],
	['entries that are not tasks', { data: [{ error: 'full' }, { id: 'task-1' }, null] }],
])('a video is not lost if the response to its submission has %s', async (_name, more) => {
	service.respond = (request) => {
		if (!request.startsWith('POST')) return rawJson(video('task-1'));
		return rawJson({ id: 'request-1', data: [{ id: 'task-1' }], ...more });
	};
	const { items } = await run();
	expect(items.map(({ json: fields }) => fields)).toMatchObject([
		{ task_id: 'task-1', status: 'completed' },
	]);
});

test('with Simplify off, the item has the status as the service sent it', async () => {
	const polled = [rawJson(video('task-1', { status: 'SUCCEEDED' }))];
	const { items } = await generate(polled, { simplify: false });
	expect(items[0]?.json).toMatchObject({ task_id: 'task-1', status: 'SUCCEEDED' });
});

test('the time of creation is that of the task, or else of its submission', async () => {
	const createdAt = async (more: object) => {
		service.respond = (request) =>
			request.startsWith('POST')
				? rawJson({ id: 'request-1', created: 1_000, data: [{ id: 'task-1' }] })
				: rawJson(video('task-1', more));
		const credential = credentialOf({ url: service.url, key: 'key-of-times' });
		return (await runNode({ ...videoNode(), credential })).items[0]?.json.created_at;
	};
	expect(await createdAt({ created_at: 1_005 })).toBe(1_005);
	expect(await createdAt({})).toBe(1_000);
});

test('a task that has a URL before it is finished is not taken for finished when its poll fails', async () => {
	const begun = { id: 'task-1', status: 'processing', url: 'https://files.test/preview' };
	const body = JSON.stringify({ code: 'quota_not_enough', message: 'No quota' });
	service.respond = (request) =>
		request.startsWith('POST')
			? rawJson({ id: 'request-1', data: [begun] })
			: rawResponse('403 Forbidden', body);
	const { items } = await runNode({
		...{ ...videoNode(), onError: 'continueRegularOutput' },
		credential: credentialOf({ url: service.url, key: 'key-of-a-preview' }),
	});
	expect(items[0]?.json.error).toMatchObject({ code: 'quota_not_enough', task_id: 'task-1' });
});

test('times as ISO 8601 are output in seconds', async () => {
	const times = { created_at: '2026-01-02T03:04:05.6Z', completed_at: '2026-01-02T03:04:06Z' };
	const { items } = await generate([rawJson(video('task-1', times))]);
	const created_at = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
	expect(items[0]?.json).toMatchObject({ created_at, completed_at: created_at + 1 });
});

test('numbers in quotes are output as numbers', async () => {
	const metadata = { duration: '5.2', size: '720p', fps: '24' };
	const { items } = await generate([
		rawJson(video('task-1', { progress: '100', created_at: '1', completed_at: '2', metadata })),
	]);
	expect(items[0]?.json).toMatchObject({
		progress: 100,
		duration: 5.2,
		fps: 24,
		created_at: 1,
		completed_at: 2,
	});
});

test.each([
	['no ID', undefined],
	['a null ID', null],
	['the ID of its submission', 'request-1'],
])('a video is not lost if its polls return %s', async (_name, id) => {
	const { items } = await generate([
		rawJson(video(id, { status: 'processing', progress: 50 })),
		rawJson(video(id)),
	]);
	expect(items.map(({ json: fields }) => fields)).toMatchObject([
		{ task_id: 'task-1', status: 'completed' },
	]);
	const polls = service.requests.filter((request) => request.startsWith('GET'));
	expect(polls.map((request) => request.split(' ')[1])).toEqual(
		Array(2).fill('/media/v1/video/generations/task-1'),
	);
});

describe('an answer in which no task is found', () => {
	const polls = () => service.requests.filter((request) => request.startsWith('GET')).length;
	const about = { task_id: 'task-1', stage: 'Uploaded' };
	const words = expect.stringMatching(/Uploaded.*/) as string;

	test.each([{}, null, [], 'done', 7, [[{}]]])(
		'is no reason to check the Base URL of a task that was submitted: %j',
		async (answer) => {
			const waitOptions = { pollInterval: 0.02, maxWait: 0.1 };
			const { items } = await generate([rawJson(answer)], { waitOptions });
			expect(items[0]?.json.error).toMatchObject({
				task_id: 'task-1',
				description: expect.stringMatching(/^(?!.*Base URL).*may be finished/) as string,
			});
		},
	);

	test('is asked for once by Get, also where it is an error with status 200', async () => {
		const get = { operation: 'get', taskId: 'task-1' };
		for (const answer of [about, { code: 1301, message: 'Uploaded, and lost' }]) {
			const { items } = await generate([rawJson(answer)], get);
			expect(items[0]?.json.error).toMatchObject({ task_id: 'task-1', description: words });
			expect(polls()).toBe(1);
			service.requests.length = 0;
		}
	});

	test('is not asked for again when Max Wait is over', async () => {
		const { items } = await generate([rawJson(about)], {
			waitOptions: { pollInterval: 0.1, maxWait: 0.15 },
		});
		expect(items[0]?.json.error).toMatchObject({ code: 'wait_timeout', description: words });
		expect(polls()).toBe(2);
	});
});

describe('an undocumented status', () => {
	const paused = () => rawJson(video('task-1', { status: 'paused', url: null, error: 'Soon' }));

	test('is output by Get, with what the service says of it', async () => {
		const get = { operation: 'get', taskId: 'task-1', simplify: false };
		const { items } = await generate([paused()], get);
		expect(items[0]?.json).toMatchObject({ id: 'task-1', status: 'paused', task_error: 'Soon' });
	});

	test.each<[string, unknown]>([
		['an object', { code: 'E7', message: 'No capacity', data: { reason: 'full' }, retry: 3 }],
		['a text', 'No capacity'],
	])('failed: the error item has %s of the service with Simplify off', async (_, error) => {
		const failed = rawJson(video('task-1', { status: 'failed', url: null, error }));
		const { items } = await generate([failed], { simplify: false });
		expect(items[0]?.json.error).toMatchObject({ task_id: 'task-1', task_error: error });
		const { items: simple } = await generate([failed]);
		expect(simple[0]?.json.error).not.toHaveProperty('task_error');
	});

	test('is in the error when Max Wait is over', async () => {
		const { items, hints } = await generate([paused()], {
			waitOptions: { pollInterval: 0.02, maxWait: 0.1 },
		});
		expect(items[0]?.json.error).toMatchObject({
			code: 'wait_timeout',
			task_id: 'task-1',
			status: 'paused',
		});
		expect(hints).toEqual(['Item 0 failed: wait_timeout.']);
	});

	test.each(['in_progress', 'RUNNING'])('%s means that the task still runs', async (status) => {
		const { items } = await generate([rawJson(video('task-1', { status, url: null }))], {
			waitOptions: { pollInterval: 0.02, maxWait: 0.1 },
		});
		expect(items[0]?.json.error).toMatchObject({
			status: 'processing',
			description: expect.stringContaining('The task is still running.') as string,
		});
	});

	test('does not turn a response without an ID into a task', async () => {
		const { items } = await generate([rawJson({ status: 'ok' })], {
			operation: 'get',
			taskId: 'task-1',
			options: { maxRetries: 0 },
		});
		expect(items[0]?.json.error).toMatchObject({ code: 'malformed_answer', task_id: 'task-1' });
	});
});

test('a downloaded file of no known kind has the format that the task names', async () => {
	const { items } = await generate(
		[rawJson(video('task-1', { metadata: { format: 'mkv' } }))],
		{ download: true },
		{ clip: rawResponse('200 OK', '\0\x01\x02\x03') },
	);
	const file = { mimeType: 'video/x-matroska', fileExtension: 'mkv' };
	expect(items[0]?.binary?.data).toMatchObject(file);
});

const ODD_IDS = [
	'projects/1/operations/ab:c+d',
	' 5% of a\\b? #1 ',
	'https://a.example/1?sig=2',
	'i'.repeat(2000),
];

test.each(['generate', 'get', 'wait'].flatMap((operation) => ODD_IDS.map((id) => [operation, id])))(
	'%s takes the task ID "%s"',
	async (operation, id) => {
		const taskId = `={{ ${JSON.stringify(id)} }}`;
		const { items } = await generate([rawJson(video(id))], { operation, taskId }, { id });
		expect(items[0]?.json).toMatchObject({ task_id: id, status: 'completed' });
		expect(service.requests.at(-1)).toContain(`/video/generations/${encodeURIComponent(id)} `);
	},
);

test('a pasted task ID may have white space around it', async () => {
	await generate([rawJson(video('task-1'))], { operation: 'get', taskId: ' task-1\n' });
	expect(service.requests.at(-1)).toContain('/video/generations/task-1 ');
});

test('of a submission with a longer task ID, the error has its length and its beginning', async () => {
	const { items } = await generate([], {}, { id: `task-${'i'.repeat(1996)}` });
	expect(items[0]?.json.error).toMatchObject({
		code: 'malformed_answer',
		may_have_been_accepted: true,
		message: expect.stringMatching(/has 2001 characters and begins with task-i/),
	});
});

/** A high surrogate without the low one. */
const LONE_SURROGATE_ID = 'task-\ud83d';

test.each(['get', 'wait'])(
	'%s refuses a task ID with half of a character before any request',
	async (operation) => {
		const { error } = await runNode(videoNode({ operation, taskId: LONE_SURROGATE_ID }));
		expect(error?.message).toBe(
			'Task ID contains half of a character, which a URL cannot contain [item 0]',
		);
		expect(simulator.count('poll')).toBe(0);
	},
);

test('a task ID with half of a character cannot be polled, but is in the error', async () => {
	const submission = { id: 'request', data: [{ id: LONE_SURROGATE_ID, status: 'processing' }] };
	service.respond = () => rawJson(submission);
	const { items } = await runNode({
		...videoNode(),
		credential: credentialOf(service),
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({
		code: 'invalid_input',
		message: expect.stringContaining('half of a character'),
		task_id: LONE_SURROGATE_ID,
	});
});
