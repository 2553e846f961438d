import type { IDataObject } from 'n8n-workflow';
import { credentialOf, type NodeResult, type NodeRun } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { useSimulator } from '../../engine/useServers';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { videoNode } from './videoNode';

const { time, simulator, runNode } = useVirtualTime({ videoSeconds: 0.05 });

const execute = useExecutions(async (node) => await runNode({ tries: 1, ...node }));
const threeItems = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const video = (parameters: object = {}): NodeRun => ({
	...videoNode({ requestOptions: { maxRetries: 0 }, ...parameters }),
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
		['Max Retries', { requestOptions: { maxRetries: 2 } }],
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
		const atAlias = (apiKey = simulator.key) =>
			at({ baseUrl: simulator.url.replace('127.0.0.1', 'localhost'), apiKey });

		function expectVideos({ items }: NodeResult, submitted = threeItems.length) {
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit') + other.submissions).toBe(submitted);
		}

		test('gets the videos there if it knows them', async () => {
			await submit();
			expectVideos(await execute(atAlias()));
		});

		test('refuses once, naming the videos, if it does not', async () => {
			await submit();
			const { error } = await execute(atOther());
			expect(other.count('submit')).toBe(0);
			expect(error?.message).toContain('not found');
			expect(error?.description).toContain('another Base URL');
			for (const { id } of simulator.tasks) expect(error?.description).toContain(id);
			expect(error?.description).toContain('the next Retry submits it again');
			expectVideos(await execute(atOther()), 2 * threeItems.length);
		});

		test('gets the videos at the first one if it is set back, also after the second one refused to make others', async () => {
			await submit();
			await execute(atOther());
			other.inject({ endpoint: 'submit', fault: 'quota-not-enough' });
			const { error } = await execute(atOther());
			expect(error?.message).toContain('quota');
			for (const { id } of simulator.tasks)
				expect(error?.description).toMatch(new RegExp(`Not found: .*${id}`));
			expectVideos(await execute(changingVideo({})));
		});

		test('makes no others for videos that were found at another one since', async () => {
			await submit();
			await execute(atOther());
			const [{ id: matching } = { id: '' }] = simulator.tasks;
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', matching });
			await execute(changingVideo({}));
			await execute({ ...atOther(), tries: 2 });
			// For the one that was not found.
			expect(other.count('submit')).toBe(1);
		});

		test('polls the videos at each other one first, also if the key was refused there before', async () => {
			await submit();
			await execute(atOther());
			const { error } = await execute(atAlias('mistyped'));
			expect(error?.message).toContain('API key');
			expect(error?.description).not.toMatch(/submits it again|Not found/);
			expectVideos(await execute(atAlias()));
		});

		test('replaces the one of two videos that was submitted elsewhere', async () => {
			const one = { ...changingVideo({ options: { n: 2 } }), items: [{ prompt: 'One' }] };
			other.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 1 });
			other.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
			await execute({ ...one, credential: credentialOf(other) });
			const { error } = await execute(one);
			expect(simulator.tasks).toHaveLength(1);
			expect(error?.description).toContain('submits it again at this Base URL');
			const { items } = await execute(one);
			expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
			expect(simulator.tasks).toHaveLength(2);
		});

		test('promises no others if a second try could not ask there', async () => {
			await submit();
			const second = () => other.count('poll') > 0 && { apiKey: 'mistyped' };
			const credential = () => ({ ...credentialOf(other), ...second() });
			const { error } = await execute({ ...atOther(), credential, tries: 2 });
			expect(error?.message).toContain('API key');
			expect(error?.description).not.toContain('submits it again');
		});

		test('is not the reason if no execution has found a task, or the same service no longer does', async () => {
			await submit();
			simulator.inject({ endpoint: 'poll', fault: 'task-not-found' });
			const wait = videoNode({ operation: 'wait', taskId: 'no-such-task' });
			for (const node of [changingVideo({}), wait]) {
				const { error } = await execute(node);
				expect(error?.message).toContain('not found');
				expect(error?.description).not.toMatch(/another Base URL|submits it again/);
			}
		});
	});
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
