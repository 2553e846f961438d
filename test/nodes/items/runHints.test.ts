import { useRawServer, useSimulator } from '../../engine/useServers';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { inEditor } from '../../engine/inEditor';
import { type NodeRun, runNode } from '../../engine/runNode';
import { videoNode } from '../video/videoNode';
import { chatNode } from '../chat/chatNode';

const simulator = useSimulator({ videoSeconds: 0.01 });
const service = useRawServer();

const BILL = /^\d+ videos? (was|were) submitted/;

async function allHintsOf(node: NodeRun): Promise<string[]> {
	const { hints, error } = await runNode(simulator, node);
	expect(error).toBeUndefined();
	return hints;
}

/** The hints above the output of the run, without its bill. */
async function hintsOf(node: NodeRun): Promise<string[]> {
	return (await allHintsOf(node)).filter((message) => !BILL.test(message));
}

async function billOf(node: NodeRun): Promise<string[]> {
	return (await allHintsOf(node)).filter((message) => BILL.test(message));
}

test('a successful run has no hints', async () => {
	expect(await allHintsOf(chatNode())).toEqual([]);
	expect(await allHintsOf(videoNode({ download: true }))).toEqual([]);
	expect(await allHintsOf({ node: 'listModels', parameters: { returnAll: true } })).toEqual([]);
});

test('a code of the service is no HTML of a hint', async () => {
	const body = JSON.stringify({ code: '<a href="https://x.test">Top up & go</a>', message: 'No' });
	service.respond = () => rawResponse('403 Forbidden', body);
	const { hints } = await runNode(service, { ...chatNode(), onError: 'continueRegularOutput' });
	expect(hints).toEqual([expect.stringMatching(/failed: &lt;a href=&quot;.*Top up &amp; go/)]);
});

test("a hint names answers cut off by the service's content filter", async () => {
	simulator.inject({ endpoint: 'chat', fault: 'output-filtered' });
	expect(await hintsOf(chatNode())).toEqual([
		expect.stringMatching(/^1 answer is cut off by the service's content filter/),
	]);
});

test('a hint says why a list of models is empty, once for all items', async () => {
	const filters = { search: 'no such model' };
	expect(await hintsOf({ node: 'listModels', parameters: { filters }, items: [{}, {}] })).toEqual([
		expect.stringMatching(/^No model of this account matches the filters/),
	]);
});

test('a hint counts unfinished videos that Get cannot download', async () => {
	await runNode(
		simulator,
		videoNode({ operation: 'submit', prompt: 'A boat [fault:task-endless]' }),
	);
	const [task] = simulator.tasks;
	const get = (download: boolean) =>
		videoNode({ operation: 'get', taskId: task?.id ?? '', download });
	expect(await hintsOf(get(true))).toEqual([
		expect.stringMatching(/^1 video is not finished yet, so there is nothing to download/),
	]);
	expect(await hintsOf(get(false))).toEqual([]);
});

test('a hint names downloads that n8n keeps in memory', async () => {
	const binaryData = Container.get(BinaryDataService);
	jest.replaceProperty(binaryData, 'mode' as never, 'default' as never);
	expect(await hintsOf(videoNode({ download: true }))).toEqual([
		expect.stringMatching(/^1 video is held in the memory of n8n.*N8N_DEFAULT_BINARY_DATA_MODE/),
	]);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'with %s, a hint names the items that failed, by the code of their errors',
	async (onError) => {
		const prompts = ['model-not-found', 'content-filtered', 'none', 'content-filtered'];
		const items = prompts.map((fault, index) => ({
			prompt: `Boat ${index}${fault === 'none' ? '' : ` [fault:${fault}]`}`,
		}));
		const expected = ['Item 0 failed: model_not_found. Items 1 and 3 failed: content_filtered.'];
		expect(await hintsOf({ ...chatNode(), items, onError })).toEqual(expected);
		expect(await hintsOf({ ...videoNode({ download: true }), items, onError })).toEqual(expected);
		const refused = { apiKey: 'wrong', baseUrl: simulator.url };
		const models: NodeRun = { node: 'listModels', parameters: {}, credential: refused };
		expect(await hintsOf({ ...models, onError })).toEqual(['Item 0 failed: invalid_api_key.']);
	},
);

test('a hint says how to get the file of a paid video, and links to it', async () => {
	const [hint] = await hintsOf(videoNode());
	const [task] = simulator.tasks;
	expect(hint).toMatch(/^1 video is not downloaded.*add a second Video Generation node.*Get/);
	const link = `<a href="${simulator.url}/files/${task?.id}.mp4" target="_blank">Play the video</a>`;
	expect(hint?.endsWith(link)).toBe(true);
	for (const operation of ['get', 'wait'])
		expect(await hintsOf(videoNode({ operation, taskId: task!.id }))).toEqual([]);
	expect(await hintsOf(videoNode({ operation: 'submit' }))).toEqual([]);
});

test('the hint links to each of several videos, and to no URL that a browser does not play', async () => {
	const urls = ['https://files.test/a', 'javascript:alert(1)', 'https://files.test/b'];
	service.respond = (request) => {
		if (request.startsWith('POST'))
			return rawJson({ id: 'r', data: urls.map((_, id) => ({ id })) });
		const [, id = ''] = /generations\/(\d)/.exec(request) ?? [];
		return rawJson({ id, status: 'completed', url: urls[Number(id)] });
	};
	const node = videoNode({ options: { n: urls.length } });
	const { hints } = await runNode(service, node);
	const link = (url: string, number: number) =>
		`<a href="https://files.test/${url}" target="_blank">Play item 0, video ${number}</a>`;
	expect(hints[0]).toMatch(/^3 videos are not downloaded\./);
	expect(hints[0]?.endsWith(`as it is. ${link('a', 1)} · ${link('b', 3)}`)).toBe(true);
});

test('a hint names videos beyond those that were asked for', async () => {
	service.respond = (request) =>
		request.startsWith('POST')
			? rawJson({ id: 'r', data: ['a', 'b', 'c'].map((id) => ({ id })) })
			: rawJson({ id: 'a', status: 'completed', url: 'https://files.test/a' });
	const { hints } = await runNode(service, videoNode({ operation: 'submit' }));
	expect(hints).toContain(
		'2 videos are beyond what one submission asked for. Check your account: they may be billed.',
	);
});

test('a video whose status has another word is one that is not downloaded, with Simplify off, too', async () => {
	service.respond = (request) =>
		request.startsWith('POST')
			? rawJson({ id: 'r', data: [{ id: 'a' }] })
			: rawJson({ id: 'a', status: 'SUCCEEDED', url: 'https://files.test/a' });
	const { hints } = await runNode(service, videoNode({ simplify: false }));
	expect(hints).toContainEqual(expect.stringMatching(/^1 video is not downloaded\./));
});

test.each([
	[
		'generate',
		true,
		/use Retry .*, or add a second .* operation Get, Download on and the task ID task-1/,
	],
	['wait', true, /Executing this node again costs nothing/],
	['get', false, /look for its URL again, execute this node again, which costs nothing/],
])(
	'%s of a completed video without a URL says how to look again',
	async (operation, download, advice) => {
		service.respond = (request) =>
			rawJson(
				request.startsWith('POST')
					? { id: 'request', data: [{ id: 'task-1' }] }
					: { id: 'task-1', status: 'completed', progress: 100 },
			);
		const options = {
			options: { maxRetries: 0 },
			waitOptions: { pollInterval: 0.01, maxWait: 0.05 },
		};
		const node = videoNode({ operation, taskId: 'task-1', download, ...options });
		const { error, hints } = await runNode(service, node);
		expect(`${error?.description} ${hints.join()}`).toMatch(advice);
	},
);

describe('the bill', () => {
	const items = ['A', 'B', 'C'].map((prompt) => ({ prompt }));

	test.each([['submit'], ['generate']])('of several videos is a hint of %s', async (operation) => {
		const node = { ...videoNode({ operation, options: { n: 2 } }), items };
		expect(await billOf(node)).toEqual(['6 videos were submitted, and each is billed.']);
	});

	test.each([
		[['A', 'B', 'C'], ['B'], '2 videos were submitted, and each is billed.', '1 more submission'],
		[['A', 'B'], ['B'], '1 video was submitted, and is billed.', '1 more submission'],
		[['A', 'B', 'C'], ['B', 'C'], '1 video was submitted, and is billed.', '2 more submissions'],
	])('of %j has the submissions whose response was lost, %j', async (prompts, lost, bill, more) => {
		for (const matching of lost)
			simulator.inject({ endpoint: 'submit', fault: 'lost', matching, times: 1 });
		const onError = 'continueRegularOutput' as const;
		const inputs = prompts.map((prompt) => ({ prompt }));
		const numbers = lost.length === 1 ? 'item 1' : 'items 1 and 2';
		const node = { ...videoNode({ operation: 'submit' }), items: inputs, onError };
		expect(await billOf(node)).toEqual([`${bill} ${more} may have been accepted (${numbers}).`]);
	});

	test.each([
		['names the option that limits it', {}, ' Max Billable Requests in Options limits how many.'],
		['does not name an option that is set', { maxBillableRequests: 12 }, ''],
	])('of ten videos or more %s', async (_what, options, advice) => {
		const node = { ...videoNode({ operation: 'submit', options: { n: 4, ...options } }), items };
		expect(await billOf(node)).toEqual([`12 videos were submitted, and each is billed.${advice}`]);
	});
});

test('a hint names ten items, and counts the others', async () => {
	const items = Array.from({ length: 25 }, () => ({ prompt: '[fault:content-filtered]' }));
	expect(await hintsOf({ ...chatNode(), items, onError: 'continueRegularOutput' })).toEqual([
		'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 15 more failed: content_filtered.',
	]);
});

describe('a service that words each answer differently', () => {
	const items = Array.from({ length: 30 }, (_, item) => ({ prompt: `${item}` }));

	test('hints name ten of its finish reasons, without HTML, and count the others', async () => {
		let sent = 0;
		service.respond = () => {
			const message = { role: 'assistant', content: 'Hello' };
			const finish_reason = `<b>odd ${(sent += 1)}</b>`;
			return rawJson({ id: 'c', object: 'chat.completion', choices: [{ message, finish_reason }] });
		};
		const { hints } = await runNode(service, { ...chatNode(), items });
		const odd = hints.filter((hint) => hint.includes('a reason that this node does not know'));
		expect(odd).toHaveLength(10);
		expect(odd.join()).not.toContain('<b>');
		expect(hints).toContain('20 answers are unusual in other ways.');
	});

	test('a hint names ten of its error codes, and counts the others', async () => {
		let sent = 0;
		service.respond = () =>
			rawResponse('403 Forbidden', JSON.stringify({ code: `odd_${(sent += 1)}`, message: 'No' }));
		const onError = 'continueRegularOutput';
		const { hints } = await runNode(service, { ...chatNode(), items, onError });
		expect(hints).toHaveLength(1);
		expect(hints[0]?.match(/failed: odd_/g)).toHaveLength(10);
		expect(hints[0]).toMatch(/ and 10 more failed: other codes\.$/);
	});
});

test.each([
	['Duration', { duration: '={{ $json.cell }}' }, { cell: 4 }],
	['Size', { size: '={{ $json.cell }}' }, { cell: '480p' }],
	['an option', { options: { n: '={{ $json.cell }}' } }, { cell: 2 }],
])('a hint names the items for which an expression leaves %s empty', async (_, form, filled) => {
	const node = { ...videoNode({ operation: 'submit', ...form }) };
	const items = [filled, { cell: '' }, { cell: null }, {}, { cell: 'wrong' }];
	expect(await hintsOf({ ...node, items, onError: 'continueRegularOutput' })).toEqual([
		'{{ $json.cell }} has no value for items 1, 2 and 3, so the default of its field applies.',
		'Item 4 failed: invalid_input.',
	]);
});

test('an expression whose empty value is an error needs no hint', async () => {
	const node = videoNode({ operation: 'get', taskId: '={{ $json.task_id }}' });
	expect(await hintsOf({ ...node, items: [{}], onError: 'continueRegularOutput' })).toEqual([
		'Item 0 failed: invalid_input.',
	]);
});

test.each([
	[9, {}, []],
	[1, { n: 4 }, []],
	[10, {}, [/submits 10 videos or more\. Each is billed.*Max Billable Requests/]],
	[5, { n: 2 }, [/submits 10 videos or more/]],
	[12, { maxBillableRequests: 12 }, [/submits 10 videos or more/]],
])('before a run with %d items and %j, a hint counts the videos', (count, options, expected) => {
	const form = { model: 'kite-motion', prompt: 'A boat', options };
	const shown = (operation: string) =>
		inEditor('videoGeneration', { ...form, operation, taskId: 'task' }, count).hints;
	const matching = (hints: RegExp[]) => hints.map((hint) => expect.stringMatching(hint));
	const ofFew = [/^A video typically takes one to three minutes\. n8n shows no progress/];
	expect(shown('generate')).toEqual(matching(expected.length > 0 ? expected : ofFew));
	expect(shown('submit')).toEqual(matching(expected));
	expect(shown('get')).toEqual([]);
});
