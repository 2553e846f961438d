import { type RawResponse, RawServer, rawResponse } from '../engine/rawServer';
import { type NodeRun, runNode } from '../engine/runNode';
import { type Simulator, startSimulator } from '../../simulator';

const service = new RawServer();
let keys = 0;
let simulator: Simulator;
beforeAll(async () => {
	await service.listen();
	simulator = await startSimulator();
});
beforeEach(() => service.reset());
afterAll(async () => await Promise.all([service.close(), simulator.close()]));

const json = (value: object, status = '200 OK') => rawResponse(status, JSON.stringify(value));
const video = (id: unknown, more: object = {}) => ({
	id,
	status: 'completed',
	progress: 100,
	url: `${service.url}/clip`,
	...more,
});

/** Runs the node against a service that makes a task of each submission, and answers the looks at it as given. */
async function generate(
	looks: RawResponse[],
	parameters: NodeRun['parameters'] = {},
	{
		id = 'task-1',
		clip = rawResponse('200 OK', '\0\0\0\x18ftyp'),
	}: { id?: unknown; clip?: RawResponse } = {},
) {
	service.respond = (request) => {
		if (request.startsWith('POST')) return json({ id: 'order', data: [{ id }] });
		if (request.startsWith('GET /clip')) return clip;
		return looks.length > 1 ? looks.shift()! : looks[0]!;
	};
	return await run(parameters);
}

async function run(parameters: NodeRun['parameters'] = {}) {
	return await runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: 'A boat',
			waitOptions: { pollInterval: 0.02 },
			...parameters,
		},
		// A key of its own: what one test is asked to wait for must not hold up the next.
		credential: { baseUrl: service.url, apiKey: `key-${(keys += 1)}` },
		onError: 'continueRegularOutput',
	});
}

test.each(['COMPLETED', 'Completed', ' completed '])(
	'a video whose status is written as "%s" is finished',
	async (status) => {
		const { items } = await generate([
			json(video('task-1', { status: 'PROCESSING' })),
			json(video('task-1', { status })),
		]);
		expect(items.map(({ json: fields }) => fields)).toMatchObject([{ status: 'completed' }]);
	},
);

test('a failed video is told as failed, in whichever case its status is written', async () => {
	const { items } = await generate([
		json(video('task-1', { status: 'FAILED', error: 'Too dark' })),
	]);
	expect(items[0]?.json.error).toMatchObject({ code: 'task_failed', http_status: null });
});

test('a video is not lost because the service counts its tasks in numbers', async () => {
	const { items } = await generate([json(video(7))], {}, { id: 7 });
	expect(items[0]?.json).toMatchObject({ task_id: '7', status: 'completed' });
	expect(service.requests.at(-1)).toMatch(/^GET \S+\/7 /);
});

test.each<[string, object]>([
	['null in place of what describes it', { id: null, object: null, created: null, model: null }],
	['numbers and texts exchanged', { id: 7, object: 1, created: '1760000000', model: 5 }],
	['an entry beside it that is no task', { data: [{ error: 'full' }, { id: 'task-1' }, null] }],
])('a video is not lost because the answer to its submission has %s', async (_name, more) => {
	service.respond = (request) => {
		if (!request.startsWith('POST')) return json(video('task-1'));
		return json({ id: 'order', data: [{ id: 'task-1' }], ...more });
	};
	const { items } = await run();
	expect(items.map(({ json: fields }) => fields)).toMatchObject([
		{ task_id: 'task-1', status: 'completed' },
	]);
});

test('numbers in quotation marks are put out as numbers', async () => {
	const metadata = { duration: '5.2', size: '720p', fps: '24' };
	const { items } = await generate([
		json(video('task-1', { progress: '100', created_at: '1', completed_at: '2', metadata })),
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
	['no id', undefined],
	['an id of null', null],
	['the id of its order', 'order'],
])('a video is not lost because the looks at it bring %s', async (_name, id) => {
	const { items } = await generate([
		json(video(id, { status: 'processing', progress: 50 })),
		json(video(id)),
	]);
	expect(items.map(({ json: fields }) => fields)).toMatchObject([
		{ task_id: 'task-1', status: 'completed' },
	]);
	const looks = service.requests.filter((request) => request.startsWith('GET'));
	expect(looks.map((request) => request.split(' ')[1])).toEqual(
		Array(2).fill('/media/v1/video/generations/task-1'),
	);
});

describe('a status that the document does not name', () => {
	const paused = () => json(video('task-1', { status: 'paused', url: null }));

	test('is waited through, however often it comes', async () => {
		const { items } = await generate([
			...Array<RawResponse>(8).fill(paused()),
			json(video('task-1')),
		]);
		expect(items[0]?.json).toMatchObject({ status: 'completed' });
	});

	test('is what Get puts out', async () => {
		const { items } = await generate([paused()], { operation: 'get', taskId: 'task-1' });
		expect(items[0]?.json).toMatchObject({ task_id: 'task-1', status: 'paused' });
	});

	test('is told with the task when Max Wait is over', async () => {
		const { items } = await generate([paused()], {
			waitOptions: { pollInterval: 0.02, maxWait: 1 },
		});
		expect(items[0]?.json.error).toMatchObject({
			code: 'wait_timeout',
			task_id: 'task-1',
			status: 'paused',
		});
	});

	test('makes no task of an answer without an id', async () => {
		const { items } = await generate([json({ status: 'ok' })], {
			operation: 'get',
			taskId: 'task-1',
		});
		expect(items[0]?.json.error).toMatchObject({ code: 'malformed_answer', task_id: 'task-1' });
	});
});

test('a pause in quotation marks is kept to', async () => {
	const refusal = {
		code: 'rate_limit_exceeded',
		message: 'Slow',
		data: { retry_after: '31536000' },
	};
	const { items } = await generate([json(refusal, '429 Too Many Requests')], {
		operation: 'get',
		taskId: 'task-1',
	});
	expect(items[0]?.json.error).toMatchObject({ http_status: 429, retry_after: 31_536_000 });
	expect(service.requests).toHaveLength(1);
});

test.each([
	['MP4', undefined, 'video/mp4', 'mp4'],
	['mov', undefined, 'video/quicktime', 'mov'],
	['mkv', 'application/octet-stream', 'video/x-matroska', 'mkv'],
	['mp4', 'Video/MP4; codecs="avc1"', 'video/mp4', 'mp4'],
])(
	'a downloaded video of the format %s that comes as %s has the type %s',
	async (format, type, mimeType, fileExtension) => {
		const clip = rawResponse(
			'200 OK',
			'\0\0\0\x18ftyp',
			type === undefined ? {} : { 'content-type': type },
		);
		const { items } = await generate(
			[json(video('task-1', { metadata: { format } }))],
			{ download: true },
			{ clip },
		);
		expect(items[0]?.binary?.data).toMatchObject({ mimeType, fileExtension });
	},
);
