import type { IDataObject } from 'n8n-workflow';
import { startSimulator } from '../../../simulator';
import { type NodeRun, runNode as runInRealTime } from '../../engine/runNode';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { videoNode } from './videoNode';

const { time, simulator } = useVirtualTime({ videoSeconds: 0.05 });

const runNode = async (run: NodeRun, isSilent?: () => boolean) =>
	await time.until(runInRealTime(simulator, run), isSilent);

const TRIES = 5;
const threeItems = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const video = (parameters: object = {}): NodeRun => ({
	...videoNode({ requestOptions: { maxRetries: 0 }, ...parameters }),
	items: threeItems,
	tries: TRIES,
});
/** Evaluates to another text in each try, although the parameters and the input stay the same. */
const CHANGING =
	'={{ $json.prompt + " " + Math.random() + $now.toMillis() + ($vars.style ?? "") }}';

describe('Retry of a failed execution', () => {
	const changingVideo = (parameters: object) =>
		video({
			prompt: CHANGING,
			options: { fps: 30, user: 'someone' },
			waitOptions: { pollInterval: 2, maxWait: 20 },
			...parameters,
		});
	/** The submissions of an execution and of its Retry with other parameters. */
	async function submissionsOf(first: NodeRun, retry: NodeRun): Promise<number> {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		const failed = await runNode({ ...first, tries: 1, executionId: '1' });
		simulator.clearFaults();
		const secondTry = { executionId: '2', retryData: failed.run.data };
		const { error } = await runNode({ ...retry, ...secondTry, tries: 1 });
		expect(error).toBeUndefined();
		return simulator.submissions;
	}

	test.each<[string, object]>([
		['Max Wait', { waitOptions: { pollInterval: 2, maxWait: 60 } }],
		['Download', { download: true }],
		['Simplify', { simplify: false }],
		['Operation', { operation: 'submit' }],
		['Max Retries', { requestOptions: { maxRetries: 2 } }],
		['the order of the options', { options: { user: 'someone', fps: 30 } }],
		['Response Format', { options: { fps: 30, user: 'someone', responseFormat: 'b64_json' } }],
		['User', { options: { fps: 30, user: 'someone else' } }],
		[
			'the mode of the model',
			{ model: { __rl: true, mode: 'id', value: 'kite-motion', cachedResultName: 'Kite' } },
		],
	])('submits nothing again if %s changes', async (_, parameters) => {
		expect(await submissionsOf(changingVideo({}), changingVideo(parameters))).toBe(
			threeItems.length,
		);
	});

	test('submits nothing again with another key', async () => {
		const credential = { baseUrl: simulator.url, apiKey: 'another-key' };
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		const failed = await runNode({ ...changingVideo({}), tries: 1, executionId: '1' });
		simulator.clearFaults();
		const secondTry = { executionId: '2', retryData: failed.run.data };
		const { error } = await runNode({
			...changingVideo({}),
			...secondTry,
			credential,
			tries: 1,
		});
		// The simulator refuses the other key, but nothing was submitted with it.
		expect(error?.message).toMatch(/API key/);
		expect(simulator.count('submit')).toBe(threeItems.length);
	});

	test.each<[string, object]>([
		['the prompt', { prompt: '={{ $json.prompt }} at night' }],
		['the size', { size: '480p' }],
		['the duration', { duration: 3 }],
		['the model', { model: 'tern-film-20250212' }],
		['an option of the request', { options: { fps: 60, user: 'someone' } }],
	])('submits new videos if %s changes', async (_, parameters) => {
		expect(await submissionsOf(changingVideo({}), changingVideo(parameters))).toBe(
			2 * threeItems.length,
		);
	});

	describe('with another Base URL', () => {
		async function retriedAt(credential: IDataObject) {
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
			const failed = await runNode({ ...changingVideo({}), tries: 1, executionId: '1' });
			simulator.clearFaults();
			const secondTry = { executionId: '2', retryData: failed.run.data, tries: 1 };
			const moved = { ...changingVideo({}), credential };
			return { moved, second: await runNode({ ...moved, ...secondTry }) };
		}

		test('gets the videos there if it knows them', async () => {
			const alias = simulator.url.replace('127.0.0.1', 'localhost');
			const { second } = await retriedAt({ baseUrl: alias, apiKey: simulator.key });
			expect(second.items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit')).toBe(threeItems.length);
		});

		test('refuses once, naming the videos, if it does not', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const credential = { baseUrl: other.url, apiKey: other.key };
			const { moved, second } = await retriedAt(credential);
			expect(other.count('submit')).toBe(0);
			expect(second.error?.message).toContain('not found');
			expect(second.error?.description).toContain('another Base URL');
			for (const { id } of simulator.tasks) expect(second.error?.description).toContain(id);
			expect(second.error?.description).toContain('the next Retry submits it again');
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const { items } = await runNode({ ...moved, ...third });
			await other.close();
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit') + other.count('submit')).toBe(2 * threeItems.length);
		});

		test('gets the videos at the first one if it is set back, as the error says', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { second } = await retriedAt({ baseUrl: other.url, apiKey: other.key });
			await other.close();
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const { items } = await runNode({ ...changingVideo({}), ...third });
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit')).toBe(threeItems.length);
		});

		test('gets the videos at the first one also after the second one refused to make others', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { moved, second } = await retriedAt({ baseUrl: other.url, apiKey: other.key });
			other.inject({ endpoint: 'submit', fault: 'quota-not-enough' });
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const { run, error } = await runNode({ ...moved, ...third });
			await other.close();
			expect(error?.message).toContain('quota');
			const fourth = { executionId: '4', retryData: run.data, tries: 1 };
			const { items } = await runNode({ ...changingVideo({}), ...fourth });
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit')).toBe(threeItems.length);
		});

		test('makes no others for videos that were found at another one since', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { moved, second } = await retriedAt({ baseUrl: other.url, apiKey: other.key });
			const [{ id: matching } = { id: '' }] = simulator.tasks;
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', matching });
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const { run } = await runNode({ ...changingVideo({}), ...third });
			const fourth = { executionId: '4', retryData: run.data, tries: 2 };
			await runNode({ ...moved, ...fourth });
			await other.close();
			// For the one that was not found.
			expect(other.count('submit')).toBe(1);
		});

		test('polls the videos at each other one first', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { second } = await retriedAt({ baseUrl: other.url, apiKey: other.key });
			await other.close();
			const baseUrl = simulator.url.replace('127.0.0.1', 'localhost');
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const credential = { baseUrl, apiKey: simulator.key };
			const { items } = await runNode({ ...changingVideo({}), ...third, credential });
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.count('submit')).toBe(threeItems.length);
		});

		test('polls the videos at each other one first, also if the key was refused there before', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { second } = await retriedAt({ baseUrl: other.url, apiKey: other.key });
			await other.close();
			const baseUrl = simulator.url.replace('127.0.0.1', 'localhost');
			const wrong = { ...changingVideo({}), credential: { baseUrl, apiKey: 'mistyped' } };
			const third = { executionId: '3', retryData: second.run.data, tries: 1 };
			const { run, error } = await runNode({ ...wrong, ...third });
			expect(error?.message).toContain('API key');
			expect(error?.description).not.toMatch(/submits it again|Not found/);
			const fourth = { executionId: '4', retryData: run.data, tries: 1 };
			const credential = { baseUrl, apiKey: simulator.key };
			const { items } = await runNode({ ...changingVideo({}), ...fourth, credential });
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
			expect(simulator.submissions).toBe(threeItems.length);
		});

		test('replaces the one of two videos that was submitted elsewhere', async () => {
			const other = await startSimulator({ videoSeconds: 0.05, now: time.now });
			const { tries: _, ...once } = changingVideo({ options: { n: 2 } });
			const one = { ...once, items: [{ prompt: 'One' }] };
			other.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 1 });
			other.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
			const credential = { baseUrl: other.url, apiKey: other.key };
			const first = await runNode({ ...one, credential, executionId: '1' });
			await other.close();
			const second = await runNode({ ...one, executionId: '2', retryData: first.run.data });
			expect(simulator.tasks).toHaveLength(1);
			expect(second.error?.description).toContain('submits it again at this Base URL');
			const { items } = await runNode({ ...one, executionId: '3', retryData: second.run.data });
			expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
			expect(simulator.tasks).toHaveLength(2);
		});

		test('is not the reason if no execution has found a task', async () => {
			const wait = videoNode({ operation: 'wait', taskId: 'no-such-task' });
			const { error } = await runNode({ ...wait, executionId: '1' });
			expect(error?.message).toContain('not found');
			expect(error?.description).not.toMatch(/another Base URL|submits it again/);
		});
	});
});

test('Retry with one changed prompt submits only that video again', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	const failed = await runNode({ ...video(), executionId: '1' });
	simulator.clearFaults();
	const changed = '={{ $json.prompt === "Two" ? "Another" : $json.prompt }}';
	const { items } = await runNode({
		...video({ prompt: changed }),
		executionId: '2',
		retryData: failed.run.data,
	});
	expect(items).toHaveLength(threeItems.length);
	expect(simulator.tasks.map(({ prompt }) => prompt)).toEqual(['One', 'Two', 'Three', 'Another']);
});
