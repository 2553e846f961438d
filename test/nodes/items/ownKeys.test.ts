import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../../simulator';
import { RequestClock } from '../../clock/requestClock';
import { turns } from '../../clock/turns';
import { rawJson } from '../../engine/rawServer';
import { runAgent } from '../../engine/runAgent';
import { type NodeRun, runNode } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { useLog } from '../../engine/useLog';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

// One workflow for two customers, each with a service and a key.

const time = new RequestClock();
afterAll(() => time.restore());
const settings = { now: time.now, videoSeconds: 90 };
const anna = useSimulator({ ...settings, key: 'key-of-customer-anna' });
const ben = useSimulator({ ...settings, key: 'key-of-customer-ben' });
const raw = useRawServer();
const lines = useLog('debug', 'info', 'warn');

const credential = { baseUrl: '={{ $json.url }}', apiKey: '={{ $json.key }}' };
const itemFor = ({ url, key }: Pick<Simulator, 'url' | 'key'>, more: IDataObject = {}) => ({
	url,
	key,
	...more,
});
const bothOf = (more: IDataObject[] = [{}, {}]) => [itemFor(anna, more[0]), itemFor(ben, more[1])];
const run = async (node: NodeRun) =>
	await time.until(runNode(anna, { credential, items: bothOf(), ...node }));
const execute = useExecutions(run);
const continues = { onError: 'continueRegularOutput' } as const;
const counts = (count: (customer: Simulator) => number) => [anna, ben].map(count);
const seldom = { waitOptions: { pollInterval: 30 } };
const codesOf = (items: Array<{ json: IDataObject }>) =>
	items.map(({ json }) => (json.error as IDataObject | undefined)?.code);

test('each chat goes to the service of its own item, with its own key', async () => {
	const { items } = await run(chatNode());
	expect(codesOf(items)).toEqual([undefined, undefined]);
	expect(counts(({ completions }) => completions)).toEqual([1, 1]);
});

test.each([
	['API Key', () => ({ ...credential, baseUrl: anna.url }), [2, 0]],
	['Base URL', () => ({ ...credential, apiKey: anna.key }), [1, 1]],
])(
	'a credential of which only the %s is an expression is read for each item',
	async (_field, credentialOf, requests) => {
		const { items } = await run({ ...chatNode(), ...continues, credential: credentialOf() });
		expect(codesOf(items)).toEqual([undefined, 'invalid_api_key']);
		expect(counts((customer) => customer.requests.length)).toEqual(requests);
	},
);

test('each list of models is fetched once for each key', async () => {
	const items = [...bothOf(), ...bothOf()];
	const listed = await run({ node: 'listModels', parameters: {}, items });
	expect(codesOf(listed.items)).not.toContain('invalid_api_key');
	expect(counts((customer) => customer.count('models'))).toEqual([1, 1]);
});

describe.each(['memory', 'database'])('with Wait In %s', (waitIn) => {
	const waits = { waitOptions: { waitIn, maxWait: 900 } };
	const video = (parameters: INodeParameters = {}): NodeRun => ({
		...videoNode({ ...waits, download: true, ...parameters }),
		settings: { executionOrder: 'v1' },
	});

	test('each video is submitted, polled and downloaded with its own key', async () => {
		const { items, waits } = await run(video());
		expect(items.map(({ json, binary }) => [json.status, binary?.data?.fileExtension])).toEqual([
			['completed', 'mp4'],
			['completed', 'mp4'],
		]);
		expect(waits.length > 0).toBe(waitIn === 'database');
		expect(counts(({ submissions }) => submissions)).toEqual([1, 1]);
		expect(counts((customer) => customer.count('download'))).toEqual([1, 1]);
	});

	test('a submitted video is waited for with the key of its item', async () => {
		const submitted = await run(video({ operation: 'submit' }));
		const ids = submitted.items.map(({ json }) => ({ task_id: json.task_id ?? null }));
		const { items } = await run({ ...video({ operation: 'wait' }), items: bothOf(ids) });
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		const got = await run({ ...video({ operation: 'get' }), items: bothOf(ids) });
		expect(got.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	test.each([
		['a second try', { tries: 2 }],
		["n8n's Retry", {}],
	])('%s pays for nothing again, and asks each service for its own video', async (_, node) => {
		ben.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const first = await execute({ ...video(), ...node });
		const { items } = first.error ? await execute({ ...video(), ...node }) : first;
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(counts(({ submissions }) => submissions)).toEqual([1, 1]);
	});
});

test.each([
	['chat', chatNode],
	['video', (parameters: INodeParameters) => videoNode({ ...seldom, ...parameters })],
])('Max Billable Requests counts the %ss of all keys', async (_, nodeOf) => {
	const node = nodeOf({ options: { maxBillableRequests: 1 } });
	const { items } = await run({ ...node, ...continues });
	expect(codesOf(items)).toEqual([undefined, 'spending_limit']);
	const stopped = await run(node);
	expect(stopped.error?.message).toMatch(/Max Billable Requests .*\[item 1\]/);
});

describe.each<[string, IDataObject, RegExp]>([
	['is invalid', { key: 'two words' }, /API Key.*white space/],
	['has no key', { key: '' }, /has no API Key/],
	[
		'cannot be evaluated',
		{ url: '={{ $("Nowhere").item.json.url }}' },
		/Referenced node doesn't exist/,
	],
])('where the credential of one item %s', (_, wrong, message) => {
	const broken = '={{ $json.key === "broken" ? $("Nowhere").item.json.url : $json.url }}';
	const nodes: Array<[string, NodeRun]> = [
		['chat', chatNode()],
		['video', videoNode(seldom)],
		['list', { node: 'listModels', parameters: { limit: 1 } }],
	];
	const failing = (node: NodeRun): NodeRun => ({
		...node,
		...(wrong.url !== undefined && { credential: { ...credential, baseUrl: broken } }),
		items: bothOf([{}, wrong.url === undefined ? wrong : { key: 'broken' }]),
	});

	test.each(nodes)('with Continue, the other item of a %s is done', async (_what, node) => {
		const { items } = await run({ ...failing(node), ...continues });
		expect(items).toHaveLength(2);
		expect(items[0]?.json.error).toBeUndefined();
		expect(items[1]).toMatchObject({ json: { error: { item: 1 } }, pairedItem: { item: 1 } });
		expect((items[1]?.json.error as IDataObject).message).toMatch(message);
		expect(ben.requests).toEqual([]);
	});

	test.each(nodes)('with Stop Workflow, nothing of a %s is sent', async (_what, node) => {
		const { error } = await run(failing(node));
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 1\]/);
		expect([...anna.requests, ...ben.requests]).toEqual([]);
	});
});

describe('where no credential is usable, each item has its own error', () => {
	const wrong = [{ key: '' }, { key: 'two words' }];
	const errors = [
		{ message: expect.stringContaining('has no API Key'), item: 0 },
		{ message: expect.stringContaining('white space'), item: 1 },
	];

	test.each([
		['chat', chatNode()],
		['video', videoNode(seldom)],
		['list', { node: 'listModels', parameters: {} } as const],
	])('of a %s', async (_, node) => {
		const { items } = await run({ ...node, items: bothOf(wrong), ...continues });
		expect(items.map(({ json }) => json.error)).toMatchObject(errors);
	});

	test('of a video that was submitted before', async () => {
		let after: IDataObject = {};
		const { items } = await run({
			...videoNode({ waitOptions: { waitIn: 'database', maxWait: 900 } }),
			...{ settings: { executionOrder: 'v1' }, ...continues },
			credential: () => ({ ...credential, ...after }),
			onWait: () => {
				after = { apiKey: `={{ $json.key === "${anna.key}" ? "" : "two words" }}` };
			},
		});
		const tasks = [anna, ben].map((customer) => customer.tasks[0]?.id);
		expect(items.map(({ json }) => json.error)).toMatchObject(
			errors.map((error, item) => ({ ...error, task_id: tasks[item] })),
		);
	});
});

test('a file that asks for the key gets that of its item', async () => {
	const film = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n\0\0\0\x0cftypisom';
	raw.respond = (request) => {
		const [, key = ''] = /authorization: Bearer key-of-(\S+)/i.exec(request) ?? [];
		if (request.startsWith('POST')) return rawJson({ data: [{ id: `task-of-${key}` }] });
		if (!request.startsWith('GET /film'))
			return rawJson({ status: 'completed', url: `${raw.url}/film-of-${key}` });
		return key !== '' && request.startsWith(`GET /film-of-${key} `)
			? { packets: [Buffer.from(film, 'latin1')] }
			: rawJson({}, '401 Unauthorized');
	};
	const items = bothOf().map(({ key }) => itemFor(raw, { key }));
	const made = await run({ ...videoNode({ download: true }), items });
	expect(made.items.map(({ binary }) => binary?.data?.fileSize)).toEqual(['12 B', '12 B']);
});

test('a chain asks the service of each of its items', async () => {
	const { url, key } = { url: credential.baseUrl, key: credential.apiKey };
	const asking = runAgent(
		{ url, key },
		{
			...{ items: bothOf(), withoutModel: true },
			work: async ({ modelOf }) => {
				for (const item of [0, 1]) await (await modelOf(item)).invoke([['user', 'Hello']]);
			},
		},
	);
	expect((await time.until(asking)).error).toBeUndefined();
	expect(counts(({ completions }) => completions)).toEqual([1, 1]);
});

test('a credential without an expression that is not usable fails each item with what is wrong', async () => {
	const wrong = { baseUrl: 'nowhere', apiKey: 'a-key' };
	const { items } = await run({ ...chatNode(), credential: wrong, ...continues });
	const message = 'The Base URL of the credential is not a valid http:// or https:// URL';
	expect(items.map(({ json }) => json.error)).toMatchObject([
		{ message, item: 0 },
		{ message, item: 1 },
	]);
});

test('no text of a run shows the key of another item', async () => {
	raw.respond = () =>
		rawJson({ error: { message: `No ${ben.key}, but ${raw.key}` } }, '400 Bad Request');
	const items = [itemFor(raw), itemFor(ben)];
	const failed = await run({ ...chatNode(), items, ...continues });
	const error = JSON.stringify(failed.items[0]?.json);
	expect(error).toContain('No [API key removed], but [API key removed]');
	raw.respond = () => rawJson({ data: [`model ${ben.key} ${raw.key}`] });
	const listed = await run({ node: 'listModels', parameters: { limit: 1 }, items });
	expect(listed.items[0]?.json.id).toBe('model [API key removed] [API key removed]');
	expect(lines.join('\n')).not.toMatch(/key-of-/);
});

test('requests of all keys together are at most Max Concurrency', async () => {
	let [inFlight, most] = [0, 0];
	// Each response but the last waits for another request, and then whether a third one comes.
	const answered = async () => {
		for (let tries = 0; tries < 1_000 && inFlight < 2 && raw.requests.length < 9; tries += 1)
			await turns(1);
		await turns(20);
		inFlight -= 1;
	};
	raw.respond = () => {
		most = Math.max(most, (inFlight += 1));
		return { ...rawJson({ data: ['heron'] }), after: answered() };
	};
	const items = Array.from({ length: 9 }, (_, index) =>
		itemFor(raw, { key: `key-number-${index}` }),
	);
	const options = { maxConcurrency: 2 };
	const { error } = await run({ node: 'listModels', parameters: { options }, items });
	expect(error).toBeUndefined();
	expect([raw.requests.length, most]).toEqual([9, 2]);
});

test('the credential of every item is read before the first request', async () => {
	const requestsAtRead: number[] = [];
	const items = Array.from({ length: 50 }, () => ({}));
	const fields = () => {
		requestsAtRead.push(anna.completions);
		return { baseUrl: anna.url, apiKey: anna.key };
	};
	await run({ ...chatNode(), items, credential: fields });
	expect(requestsAtRead).toEqual(Array(50).fill(0));
	expect(anna.completions).toBe(50);
});
