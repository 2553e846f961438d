import { useRawServer, useSimulator } from '../../engine/useServers';
import { SpendingLimit } from '../../../nodes/shared/book/spendingLimit';
import { rawJson } from '../../engine/rawServer';
import { runAgent } from '../../engine/runAgent';
import { credentialOf, type NodeResult, type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { makeVideo } from '../chatModel/toolNodes';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.02, slowMs: 5 });
const service = useRawServer();

const prompts = (...texts: string[]) => texts.map((prompt) => ({ prompt }));
const five = prompts('One', 'Two', 'Three', 'Four', 'Five');
const atMost = (maxBillableRequests: unknown, more: object = {}) => ({
	options: { maxRetries: 0, maxBillableRequests, ...more } as never,
});
const video = (max: unknown, more: object = {}): NodeRun => ({
	...videoNode(atMost(max, more)),
	items: five,
});
const chat = (max: unknown, more: object = {}): NodeRun => ({
	...chatNode(atMost(max, more)),
	items: five,
});

/** Per item: the code of its error, or undefined. */
const codesOf = ({ items, errors }: NodeResult) =>
	[...items, ...errors].map(({ json }) => (json.error as { code: string } | undefined)?.code);

describe.each([
	['Chat Completion', chat, () => simulator.count('chat')],
	['Video Generation', video, () => simulator.submissions],
] as const)('%s with Max Billable Requests', (_name, node, sent) => {
	test('with Stop Workflow, a batch that does not fit fails before anything is sent, and says what all items need', async () => {
		const { error } = await runNode(simulator, node(2));
		expect(error?.message).toBe('Max Billable Requests (2) does not allow this request [item 2]');
		expect(error?.description).toBe(
			'This execution needs 5 billable requests with this node. Nothing was sent in this try. Increase Max Billable Requests in the options of the node if you want to pay for more.',
		);
		expect(sent()).toBe(0);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'with %s, the first items that fit are done',
		async (onError) => {
			const result = await runNode(simulator, { ...node(2), onError });
			expect(codesOf(result)).toEqual([
				...[undefined, undefined],
				...['spending_limit', 'spending_limit', 'spending_limit'],
			]);
			expect(sent()).toBe(2);
			expect([...result.items, ...result.errors].at(-1)?.json.error).toMatchObject({
				description: expect.stringMatching(/needs 5 billable .* It was not sent in this try\./),
			});
		},
	);

	test('a refused request leaves its place to another item', async () => {
		const items = prompts('[fault:content-filtered]', 'Two', 'Three', 'Four');
		const onError = 'continueRegularOutput';
		const oneByOne = node(2, { maxConcurrency: 1 });
		const result = await runNode(simulator, { ...oneByOne, items, onError });
		expect(codesOf(result)).toEqual(['content_filtered', undefined, undefined, 'spending_limit']);
	});

	test('Retry On Fail sends no more, and asks again only for what was refused', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Five' });
		simulator.inject({ endpoint: 'submit', fault: 'invalid-request', matching: 'Five' });
		const { error } = await runNode(simulator, { ...node(5), tries: 4 });
		expect(error).toBeDefined();
		simulator.clearFaults();
		const asked = (prompt: string) =>
			simulator.requests.filter(({ body }) => JSON.stringify(body ?? '').includes(prompt)).length;
		expect(['One', 'Two', 'Three', 'Four', 'Five'].map(asked)).toEqual([1, 1, 1, 1, 4]);
	});

	test('all runs of a loop share it, and another execution has its own', async () => {
		const failed = await runNode(simulator, { ...node(3), executionId: '1', loop: true });
		expect(failed.error?.message).toMatch(/Max Billable Requests/);
		expect(failed.error?.description).toMatch(
			/^This execution made 3 billable requests with this node and needs 1 more\./,
		);
		const retry = { executionId: '2', retryData: failed.run.data };
		const { items } = await runNode(simulator, { ...node(3), loop: true, ...retry });
		expect(items).toHaveLength(1);
		expect(sent()).toBe(5);
	});

	test('0 sends nothing, and a limit that is no whole number is refused', async () => {
		expect((await runNode(simulator, node(0))).error?.message).toMatch(/Max Billable Requests/);
		expect((await runNode(simulator, node('many'))).error?.message).toMatch(
			/Max Billable Requests must be a whole number/,
		);
		expect(sent()).toBe(0);
	});

	test.each([[''], [null], ['={{ undefined }}'], ['={{ $json.nothing }}']])(
		'one that evaluates to nothing (%j) is refused: it is not "no limit"',
		async (limit) => {
			const { error } = await runNode(simulator, node(limit));
			expect(error?.message).toMatch(/Max Billable Requests must be a whole number/);
			expect(sent()).toBe(0);
		},
	);
});

const MAY_BE_BILLED = {
	may_have_been_accepted: true,
	description: expect.stringMatching(/In the try before: .* it may be billed twice/),
};
const received = (reason: string) => ({
	partial_text: expect.stringMatching(/\w/),
	description: expect.stringContaining(`In the try before: ${reason}`),
});
const NO_JSON = received('The model did not answer with JSON');
const one = (max: number, more = {}, prompt = 'One') => ({
	...chat(max, more),
	items: prompts(prompt),
});

test('each node of an execution has its own', async () => {
	const flow = {};
	const limitOf = (name: string) =>
		new SpendingLimit({
			...{ getNode: () => ({ name }), getContext: () => flow },
			...{ getExecutionId: () => '1', continueOnFail: () => false },
		} as never);
	const spend = async (name: string, count: number) =>
		await limitOf(name).spend(count, 3, async () => await Promise.resolve());
	await spend('Chat', 3);
	await spend('Video', 3);
	await expect(spend('Chat', 1)).rejects.toThrow(/Max Billable Requests/);
});

test('with Stop Workflow, two items of n 4 and a limit of 5 submit nothing', async () => {
	const { error } = await runNode(simulator, {
		...{ ...video(5, { n: 4 }), items: prompts('One', 'Two') },
	});
	expect(error?.message).toMatch(/^Max Billable Requests \(5\) does not allow this request/);
	expect(simulator.submissions).toBe(0);
});

test('a video counts by n: with n 4 and a limit of 5, the second item is refused', async () => {
	const node = { ...video(5, { n: 4 }), items: prompts('One', 'Two') };
	const result = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
	expect(codesOf(result)).toEqual([...Array<undefined>(4).fill(undefined), 'spending_limit']);
	expect(simulator.submissions).toBe(1);
});

test.each([
	['fewer', 1, 2],
	['more', 3, 1],
])(
	'a submission counts what was asked for, and more where the service names %s',
	async (_what, made, sent) => {
		const data = Array.from({ length: made }, (_, index) => ({ id: `task-${index}` }));
		service.respond = (request) =>
			rawJson(request.startsWith('POST') ? { id: 'request', data } : { status: 'completed' });
		const node = videoNode(atMost(4, { n: 2, maxConcurrency: 1 }));
		const onError = 'continueRegularOutput';
		await runNode(service, { ...node, items: prompts('One', 'Two', 'Three'), onError });
		const submitted = service.requests.filter((request) => request.startsWith('POST'));
		expect(submitted).toHaveLength(sent);
	},
);

test.each<[string, NodeRun, string, object]>([
	['is refused keeps that the first one may be billed', one(9), 'quota_not_enough', MAY_BE_BILLED],
	['is not sent keeps that the first one may be billed', one(9), 'ECONNREFUSED', MAY_BE_BILLED],
	['is refused keeps an answer', one(9, { jsonOutput: true }), 'quota_not_enough', NO_JSON],
	['has no limit left keeps an answer', one(1, { jsonOutput: true }), 'spending_limit', NO_JSON],
	[
		'has no limit left keeps half a stream',
		one(1, { stream: true }, '[fault:stream-cut]'),
		'spending_limit',
		received('The stream ended before'),
	],
])('a second try that %s', async (_what, node, code, kept) => {
	if (kept === MAY_BE_BILLED) simulator.inject({ endpoint: 'chat', fault: 'lost', times: 1 });
	simulator.inject({ endpoint: 'chat', fault: 'quota-not-enough', attempts: [2] });
	const right = credentialOf(simulator);
	const closed = { ...right, baseUrl: 'http://127.0.0.1:9' };
	const isOpen = () => code !== 'ECONNREFUSED' || simulator.count('chat') === 0;
	const credential = () => (isOpen() ? right : closed);
	const onError = 'continueRegularOutput';
	const { items } = await runNode(simulator, { ...node, credential, tries: 2, onError });
	expect(items[0]!.json.error).toMatchObject({ code, ...kept });
});

test('with Stop Workflow, a second try that has no limit left keeps an answer, too', async () => {
	const { error } = await runNode(simulator, { ...one(1, { jsonOutput: true }), tries: 2 });
	expect(error?.message).toMatch(/^Max Billable Requests/);
	expect(error?.description).toContain('In the try before: The model did not answer with JSON');
});

describe('an agent', () => {
	const call = async (tool: { invoke(input: object): Promise<string> }, input: object) =>
		await tool.invoke(input).catch((error: Error) => error.message);

	test.each([
		['one after the other', false],
		['at once', true],
	])('gets no more videos from a tool than it allows, called %s', async (_, atOnce) => {
		const tool = { ...makeVideo, parameters: { ...makeVideo.parameters, ...atMost(2) } };
		const { result } = await runAgent(simulator, {
			withoutModel: true,
			tools: [tool],
			async work({ tools: [only] }) {
				const calls = ['A', 'B', 'C', 'D'].map(
					(prompt) => async () => await call(only!, { prompt, seconds: 3 }),
				);
				if (atOnce) return await Promise.all(calls.map(async (start) => await start()));
				const results = [];
				for (const start of calls) results.push(await start());
				return results;
			},
		});
		expect(simulator.submissions).toBe(2);
		const refused = (result as string[]).filter((text) => /Max Billable Requests/.test(text));
		expect(refused).toHaveLength(2);
		expect(refused[0]).toMatch(
			/does not allow this request.* made 2 .* needs 1 more\..* sent in this try/,
		);
	});
});
