import { type Injection, type Simulator, startSimulator } from '../../../simulator';
import { fastTime } from '../../engine/fastTime';
import { type NodeRun, runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.05, slowMs: 5 });
});
afterEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const TRIES = 5;
const threeItems = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const video = (parameters: object = {}): NodeRun => ({
	...videoNode({ requestOptions: { maxRetries: 0 }, ...parameters }),
	items: threeItems,
	tries: TRIES,
});
const waitAtMost = (seconds: number) => ({ pollInterval: 2, maxWait: seconds });

/** What fails after the submission, and how many times. */
const AFTER_SUBMISSION: Array<[name: string, fault: Omit<Injection, 'times'>, times: number]> = [
	['the key is refused', { endpoint: 'poll', fault: 'invalid-api-key' }, Infinity],
	['the key is refused once', { endpoint: 'poll', fault: 'invalid-api-key' }, 1],
	['the quota is used up', { endpoint: 'poll', fault: 'quota-not-enough' }, Infinity],
	['the task is not found', { endpoint: 'poll', fault: 'task-not-found' }, Infinity],
	['the task is not found once', { endpoint: 'poll', fault: 'task-not-found' }, 1],
	['polls are malformed', { endpoint: 'poll', fault: 'json-null' }, Infinity],
	['polls are redirected', { endpoint: 'poll', fault: 'redirect-302' }, 2],
	['the service fails', { endpoint: 'poll', fault: 'internal-error' }, Infinity],
	['the connection is lost', { endpoint: 'poll', fault: 'lost' }, Infinity],
	['the file is gone', { endpoint: 'download', fault: 'html-404' }, Infinity],
	['the file is gone once', { endpoint: 'download', fault: 'html-404' }, 1],
	['the download is incomplete', { endpoint: 'download', fault: 'truncated' }, 2],
];

describe.each([
	['Stop Workflow', undefined],
	['Continue', 'continueRegularOutput'],
	['Continue (error output)', 'continueErrorOutput'],
] as const)('with On Error %s and Retry On Fail', (_, onError) => {
	// After Max Wait, a poll that fails is repeated for a minute.
	let restoreTime: () => void;
	beforeAll(() => void (restoreTime = fastTime(100)));
	afterAll(() => restoreTime());

	test.each(AFTER_SUBMISSION)(
		'a batch submits each video once if %s',
		async (_name, fault, times) => {
			simulator.inject({ ...fault, times });
			await runNode(simulator, {
				...video({ download: true, waitOptions: waitAtMost(30) }),
				...(onError && { onError }),
			});
			expect(simulator.submissions).toBe(threeItems.length);
		},
	);

	test('four videos of one prompt are submitted once if a poll of one fails', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'task-not-found', times: 3 });
		await runNode(simulator, {
			...video({ options: { n: 4 } }),
			items: [{ prompt: 'One' }],
			...(onError && { onError }),
		});
		expect(simulator.submissions).toBe(1);
		expect(simulator.tasks).toHaveLength(4);
	});

	test('the other items are not submitted again if one item is always refused', async () => {
		await runNode(simulator, {
			...video(),
			items: [{ prompt: '[fault:invalid-request]' }, ...threeItems],
			...(onError && { onError }),
		});
		const submitted = simulator.tasks.map(({ prompt }) => prompt);
		expect(new Set(submitted).size).toBe(submitted.length);
	});
});

test('a batch that recovers in a later try outputs the videos of its first submissions', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key', times: 2 });
	const { items } = await runNode(simulator, video());
	expect(items.map(({ json }) => json.task_id)).toEqual(simulator.tasks.map(({ id }) => id));
	expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed', 'completed']);
	expect(simulator.submissions).toBe(threeItems.length);
});

test('Loop Over Items submits one video per run if runs fail at first', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key', times: 1 });
	simulator.inject({ endpoint: 'poll', fault: 'task-not-found', times: 1, after: 2 });
	const { runs } = await runNode(simulator, { ...video(), loop: true });
	expect(runs).toHaveLength(threeItems.length);
	expect(simulator.submissions).toBe(threeItems.length);
});

test('runs of a loop with the same prompt make different videos', async () => {
	const { runs } = await runNode(simulator, {
		...video(),
		items: [{ prompt: 'Same' }, { prompt: 'Same' }],
		loop: true,
	});
	expect(runs).toHaveLength(2);
	expect(simulator.submissions).toBe(2);
});

test('items with the same prompt make different videos, also in later tries', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key', times: 1 });
	const { items } = await runNode(simulator, {
		...video(),
		items: [{ prompt: 'Same' }, { prompt: 'Same' }],
	});
	expect(new Set(items.map(({ json }) => json.task_id)).size).toBe(2);
	expect(simulator.submissions).toBe(2);
});

/** Evaluates to another text in each try, although the parameters and the input stay the same. */
const CHANGING =
	'={{ $json.prompt + " " + Math.random() + $now.toMillis() + ($vars.style ?? "") }}';

test('a prompt whose expression changes in each try is submitted once', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	await runNode(simulator, { ...video({ prompt: CHANGING }), tries: 3 });
	expect(simulator.submissions).toBe(threeItems.length);
});

describe('Retry of a failed execution', () => {
	const changingVideo = (parameters: object) =>
		video({
			prompt: CHANGING,
			options: { fps: 30, user: 'someone' },
			waitOptions: { pollInterval: 0.02, maxWait: 0.2 },
			...parameters,
		});
	/** The submissions of an execution and of its Retry with other parameters. */
	async function submissionsOf(first: NodeRun, retry: NodeRun): Promise<number> {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		const failed = await runNode(simulator, { ...first, tries: 1, executionId: '1' });
		simulator.clearFaults();
		const secondTry = { executionId: '2', retryData: failed.run.data };
		const { error } = await runNode(simulator, { ...retry, ...secondTry, tries: 1 });
		expect(error).toBeUndefined();
		return simulator.submissions;
	}

	test.each<[string, object]>([
		['Max Wait', { waitOptions: { pollInterval: 0.02, maxWait: 5 } }],
		['Download', { download: true }],
		['Simplify', { simplify: false }],
		['Operation', { operation: 'submit' }],
		['Max Retries', { requestOptions: { maxRetries: 2 } }],
		['the order of the options', { options: { user: 'someone', fps: 30 } }],
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
		const failed = await runNode(simulator, { ...changingVideo({}), tries: 1, executionId: '1' });
		simulator.clearFaults();
		const secondTry = { executionId: '2', retryData: failed.run.data };
		const { error } = await runNode(simulator, {
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

	test('submits new videos to another Base URL', async () => {
		const credential = { baseUrl: `${simulator.url}/prefix`, apiKey: simulator.key };
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		const failed = await runNode(simulator, { ...changingVideo({}), tries: 1, executionId: '1' });
		simulator.clearFaults();
		const secondTry = { executionId: '2', retryData: failed.run.data };
		await runNode(simulator, { ...changingVideo({}), ...secondTry, credential, tries: 1 });
		expect(simulator.requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(
			threeItems.length,
		);
	});
});

test('Retry On Fail submits only a failed video again', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'task-failed-object', matching: 'Two', times: 1 });
	const { items } = await runNode(simulator, video());
	expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed', 'completed']);
	expect(simulator.submissions).toBe(4);
});

test.each(['lost', 'hang', 'truncated', 'html-200', 'json-object', 'no-tasks', 'status-504'])(
	'a submission that may have been accepted (%s) is sent once in all tries',
	async (fault) => {
		simulator.inject({ endpoint: 'submit', fault, times: 1 });
		const { error } = await runNode(simulator, {
			...video({ requestOptions: { maxRetries: 3, timeout: 0.2 } }),
			items: [{ prompt: 'One' }],
		});
		expect(simulator.count('submit')).toBe(1);
		expect(error?.description).toMatch(/may have accepted/);
	},
);

test('Retry of a failed execution waits for the submitted videos', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	const failed = await runNode(simulator, { ...video({ options: { n: 2 } }), executionId: '1' });
	expect(failed.error?.message).toMatch(/API key/);
	simulator.clearFaults();
	const retried = await runNode(simulator, {
		...video({ options: { n: 2 } }),
		executionId: '2',
		retryData: failed.run.data,
	});
	expect(retried.items.map(({ json }) => json.task_id)).toEqual(
		simulator.tasks.map(({ id }) => id),
	);
	expect(simulator.submissions).toBe(threeItems.length);
});

test.each([
	['the first Retry refuses what was lost, and its Retry orders it', {}, 3],
	['after a refusal by Retry On Fail, the first Retry orders what was lost', { tries: 2 }, 2],
])('%s', async (_name, settings, orderedBy) => {
	simulator.inject({ endpoint: 'submit', fault: 'lost', matching: 'Two', times: 1 });
	const given = { ...videoNode({ requestOptions: { maxRetries: 0 } }), items: threeItems };
	let before = await runNode(simulator, { ...given, ...settings, executionId: '1' });
	for (let execution = 2; execution <= orderedBy; execution += 1) {
		expect(simulator.count('submit')).toBe(threeItems.length);
		expect(before.error?.description).toMatch(/check your account/i);
		const retryData = before.run.data;
		before = await runNode(simulator, { ...given, executionId: String(execution), retryData });
	}
	expect(before.items.map(({ json }) => json.status)).toEqual(Array(3).fill('completed'));
	expect(simulator.count('submit')).toBe(threeItems.length + 1);
});

test('Retry with one changed prompt submits only that video again', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'invalid-api-key' });
	const failed = await runNode(simulator, { ...video(), executionId: '1' });
	simulator.clearFaults();
	const changed = '={{ $json.prompt === "Two" ? "Another" : $json.prompt }}';
	const { items } = await runNode(simulator, {
		...video({ prompt: changed }),
		executionId: '2',
		retryData: failed.run.data,
	});
	expect(items).toHaveLength(threeItems.length);
	expect(simulator.tasks.map(({ prompt }) => prompt)).toEqual(['One', 'Two', 'Three', 'Another']);
});
