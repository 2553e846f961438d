import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fingerprintsOf } from '../../../nodes/shared/book/fingerprints';
import { requestParameters } from '../../../nodes/VideoGeneration/form/request';
import { credentialOf, type NodeResult, type NodeRun } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { useSimulator } from '../../engine/useServers';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { videoNode } from './videoNode';

const { time, simulator, runNode } = useVirtualTime({ videoSeconds: 0.05 });

const execute = useExecutions(async (node) => await runNode({ tries: 1, ...node }));
const threeItems = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const video = ({ options = {}, ...others }: INodeParameters = {}): NodeRun => ({
	...videoNode({ ...others, options: { maxRetries: 0, ...Object(options) } }),
	items: threeItems,
});
/** Evaluates to another text in each try, although the parameters and the input stay the same. */
const CHANGING =
	'={{ $json.prompt + " " + Math.random() + $now.toMillis() + ($vars.style ?? "") }}';

describe('Retry of a failed execution', () => {
	const changingVideo = (parameters: object) =>
		video({
			prompt: CHANGING,
			options: { fps: 30, n: 1 },
			waitOptions: { pollInterval: 2, maxWait: 20 },
			...parameters,
		});
	/** The first execution: it submits the videos, and no poll tells how they end. */
	async function submit(): Promise<void> {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		await execute(changingVideo({}));
		simulator.clearFaults();
	}

	async function submissionsAfterRetry(parameters: object): Promise<number> {
		await submit();
		const { error } = await execute(changingVideo(parameters));
		expect(error).toBeUndefined();
		return simulator.submissions;
	}

	test.each<[string, object]>([
		['Max Wait', { waitOptions: { pollInterval: 2, maxWait: 60 } }],
		['Download', { download: true }],
		['Simplify', { simplify: false }],
		['Operation', { operation: 'submit' }],
		['Max Retries', { options: { fps: 30, n: 1, maxRetries: 2 } }],
		['the order of the options', { options: { n: 1, fps: 30 } }],
		['Response Format', { options: { fps: 30, n: 1, responseFormat: 'b64_json' } }],
		['User', { options: { fps: 30, n: 1, user: 'someone' } }],
		['Include Input Fields', { options: { fps: 30, n: 1, includeInputFields: true } }],
		['Max Billable Requests', { options: { fps: 30, n: 1, maxBillableRequests: 9 } }],
		[
			'the mode of the model',
			{ model: { __rl: true, mode: 'id', value: 'kite-motion', cachedResultName: 'Kite' } },
		],
	])('submits nothing again if %s changes', async (_, parameters) => {
		expect(await submissionsAfterRetry(parameters)).toBe(threeItems.length);
	});

	test('submits nothing again with another key', async () => {
		const credential = { baseUrl: simulator.url, apiKey: 'another-key' };
		await submit();
		const { error } = await execute({ ...changingVideo({}), credential });
		// The simulator refuses the other key, but nothing was submitted with it.
		expect(error?.message).toMatch(/API key/);
		expect(simulator.count('submit')).toBe(threeItems.length);
	});

	test.each<[string, object]>([
		['the prompt', { prompt: '={{ $json.prompt }} at night' }],
		['the size', { size: '480p' }],
		['the duration', { duration: 3 }],
		['the model', { model: 'tern-film-20250212' }],
		['an option of the request', { options: { fps: 60, n: 1 } }],
	])('submits new videos if %s changes', async (_, parameters) => {
		expect(await submissionsAfterRetry(parameters)).toBe(2 * threeItems.length);
	});

	describe('with another Base URL', () => {
		const other = useSimulator({ videoSeconds: 0.05, now: time.now });

		const at = (credential: IDataObject): NodeRun => ({ ...changingVideo({}), credential });
		const atOther = () => at(credentialOf(other));
		const atAlias = () =>
			at({
				baseUrl: simulator.url.replace('127.0.0.1', 'localhost'),
				apiKey: simulator.key,
			});

		function expectVideos({ items }: NodeResult) {
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit') + other.submissions).toBe(threeItems.length);
		}

		test('gets the videos there if it knows them', async () => {
			await submit();
			expectVideos(await execute(atAlias()));
		});

		test('names the videos, and submits none, however often, if it does not', async () => {
			await submit();
			for (let retries = 0; retries < 2; retries += 1) {
				const { error } = await execute(atOther());
				expect(error?.message).toContain('not found');
				expect(error?.description).toMatch(
					/^(?!.*Base URL).*Nothing was submitted again.*without paying again, use Retry/s,
				);
				for (const { id } of simulator.tasks) expect(error?.description).toContain(id);
			}
			expect(other.count('submit')).toBe(0);
			expectVideos(await execute(changingVideo({})));
		});
	});
});

describe('the fingerprints of a request', () => {
	const fingerprints = (json: IDataObject, request: object, type = 'a.videoGeneration') => {
		const parameters = { prompt: '={{ $json.prompt }}' };
		const context = { getNode: () => ({ type, parameters }), getInputData: () => [{ json }] };
		return fingerprintsOf(context as never, requestParameters)(0, request);
	};
	const one = { prompt: 'One' };

	test('differ where the input does', () => {
		const first = fingerprints(one, one);
		const other = fingerprints({ ...one, more: 1 }, one);
		expect(other.formHash).not.toBe(first.formHash);
		expect(other.requestHash).not.toBe(first.requestHash);
	});

	test('are the same whatever the format of the response and the user', () => {
		const more = { ...one, response_format: 'b64_json', user: 'someone' };
		expect(fingerprints(one, more)).toEqual(fingerprints(one, one));
	});

	test('are those of its arguments alone in a call of a tool', () => {
		const call = (json: IDataObject) => fingerprints(json, one, 'a.videoGenerationTool');
		expect(call({ other: 1 })).toEqual(call({}));
		expect(call({})).not.toHaveProperty('formHash');
	});
});

describe.each<[string, () => IDataObject | undefined]>([
	['without a credential', () => undefined],
	[
		'while the service is away',
		() => ({ ...credentialOf(simulator), baseUrl: 'http://127.0.0.1:9' }),
	],
])('what is tried again %s', (_, credentialThen) => {
	/** Its first try submits all videos, and no poll of it is answered. */
	const failing = (submitted: () => boolean): NodeRun => ({
		...video({ waitOptions: { pollInterval: 2, maxWait: 20 } }),
		credential: () => (submitted() ? credentialThen() : credentialOf(simulator)),
	});
	const idsOf = () => simulator.tasks.map(({ id }) => id);
	beforeEach(() => simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' }));

	test('names the paid videos in its error items', async () => {
		const { items } = await execute({
			...failing(() => simulator.count('poll') >= threeItems.length),
			...{ tries: 2, onError: 'continueRegularOutput' },
		});
		const told = items.map(({ json }) => (json.error as IDataObject).task_id);
		expect([told, told.length]).toEqual([idsOf(), threeItems.length]);
	});

	test("names the paid videos in the error of n8n's Retry", async () => {
		await execute(failing(() => false));
		const { error } = await execute(failing(() => true));
		for (const id of idsOf()) expect(error?.description).toContain(id);
		expect(simulator.submissions).toBe(threeItems.length);
	});
});

test.each([
	['a second try', { tries: 2 }],
	["n8n's Retry", {}],
])('in %s, each of several equal items has its own video', async (_, more) => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
	const node = { ...video(), items: [{}, {}], ...more };
	const failed = await execute(node);
	const { items } = failed.error ? await execute(node) : failed;
	const made = items.map(({ json, pairedItem }) => [json.task_id, pairedItem]);
	expect(made).toEqual(simulator.tasks.map(({ id }, item) => [id, { item }]));
	expect(simulator.submissions).toBe(2);
});

test('Retry with one changed prompt submits only that video again', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	await execute({ ...video(), tries: 5 });
	simulator.clearFaults();
	const changed = '={{ $json.prompt === "Two" ? "Another" : $json.prompt }}';
	const { items } = await execute({ ...video({ prompt: changed }), tries: 5 });
	expect(items).toHaveLength(threeItems.length);
	expect(simulator.tasks.map(({ prompt }) => prompt)).toEqual(['One', 'Two', 'Three', 'Another']);
});

test.each([
	['fields', 0, '{ "move": { "by": [1, 2], "at": 3 }, "seed": 7 }'],
	['list', 3, '{ "seed": 7, "move": { "at": 3, "by": [2, 1] } }'],
])(
	'Retry with the %s of the Additional Body in another order submits %i new videos',
	async (_what, more, changed) => {
		const withBody = (additionalBody: string) => video({ options: { additionalBody } });
		simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
		await execute(withBody('{ "seed": 7, "move": { "at": 3, "by": [1, 2] } }'));
		simulator.clearFaults();
		const { error } = await execute(withBody(changed));
		expect(error).toBeUndefined();
		expect(simulator.submissions).toBe(threeItems.length + more);
	},
);
