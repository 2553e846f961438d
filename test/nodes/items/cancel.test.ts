import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { pollInterval } from '../../../nodes/VideoGeneration/form/wait';
import { type Simulator, startSimulator } from '../../../simulator';
import { type NodeRun, runNode } from '../../engine/runNode';
import { RequestClock } from '../../clock/requestClock';
import { turns } from '../../clock/turns';
import { stopWhen, until } from '../../clock/until';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const POLL_MS = 1_000 * Number(pollInterval.default);

let clock: RequestClock;
let simulator: Simulator;
/** Channels on which undici and Node.js report that the head of a response arrived and its body is being read. */
const RESPONSE_HEAD = ['undici:request:headers', 'http.client.response.finish'];
let heads = 0;
const countHead = () => void (heads += 1);
beforeAll(() => RESPONSE_HEAD.forEach((channel) => subscribe(channel, countHead)));
afterAll(() => RESPONSE_HEAD.forEach((channel) => unsubscribe(channel, countHead)));

beforeEach(async () => {
	heads = 0;
	clock = new RequestClock();
	simulator = await startSimulator({ now: clock.now, videoSeconds: 1 });
});
afterEach(async () => {
	clock.restore();
	await simulator.close();
});

const video = (parameters: object) => videoNode({ waitOptions: {}, ...parameters });

/** Waits for the submission and advances to the first poll. */
const untilFirstPoll = async () => {
	await until(() => simulator.submissions === 1 && clock.nextIn <= POLL_MS);
	clock.advance(POLL_MS);
};

interface State {
	run: NodeRun;
	/** Faults by endpoint. */
	faults?: Partial<
		Record<'chat' | 'chatStream' | 'models' | 'submit' | 'poll' | 'download', string>
	>;
	/** Resolves when the state is reached. */
	reached: () => Promise<void>;
}

const STATES: Record<string, () => State> = {
	'while waiting for a response': () => ({
		run: chatNode(),
		faults: { chat: 'hang' },
		reached: async () => await until(() => simulator.count('chat') === 1),
	}),
	'while a response arrives': () => ({
		run: chatNode(),
		faults: { chat: 'hang-inside' },
		reached: async () => await until(() => heads === 1),
	}),
	'during a stream': () => ({
		run: chatNode({ options: { stream: true } }),
		faults: { chatStream: 'stream-hang' },
		reached: async () => await until(() => heads === 1),
	}),
	'during a download': () => ({
		run: video({ download: true }),
		faults: { download: 'hang-inside' },
		reached: async () => {
			await untilFirstPoll();
			await until(() => simulator.count('download') === 1 && heads === 3);
		},
	}),
	'while an inline video arrives': () => ({
		run: video({ download: true, options: { responseFormat: 'b64_json' } }),
		faults: { poll: 'hang-inside' },
		reached: async () => {
			await untilFirstPoll();
			await until(() => simulator.count('poll') === 1 && heads === 2);
		},
	}),
};

test.each(Object.keys(STATES))(
	'a cancel %s ends the node at once, closes its connections and sends no more requests',
	async (state) => {
		const { run, faults = {}, reached } = STATES[state]!();
		for (const [endpoint, fault] of Object.entries(faults)) {
			simulator.inject({ endpoint: endpoint as never, fault });
		}
		const controller = new AbortController();
		// With Retry On Fail n8n runs the node again even after a cancel.
		const running = runNode(simulator, { ...run, tries: 3, signal: controller.signal });
		await reached();
		const sent = simulator.requests.length;
		const cancelledAt = clock.now();

		controller.abort();
		const { run: result, items } = await running;

		expect(result.status).toBe('canceled');
		expect(items).toEqual([]);
		expect(clock.now()).toBe(cancelledAt);
		expect(clock.timers).toBe(0);
		await until(() => simulator.openRequests === 0);
		clock.advance(600_000);
		await turns(20);
		expect(simulator.requests).toHaveLength(sent);
	},
);

test('a cancel during a billable request says so, and which item it is of', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'hang', matching: 'Two' });
	const node = chatNode({ options: { maxConcurrency: 1 } });
	const items = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
	const { error } = await stopWhen(
		() => simulator.count('chat') === 2,
		async (signal) => await runNode(simulator, { ...node, items, signal }),
	);
	expect(error?.message).toBe(
		'The execution was canceled during a billable request, which the service may have accepted [item 1]',
	);
});

test('a cancel between billable requests is only that', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'unavailable' });
	const { error } = await stopWhen(
		() => clock.nextIn <= 500,
		async (signal) => await runNode(simulator, { ...chatNode(), signal }),
	);
	expect(error?.message).toBe('The execution was canceled [item 0]');
});
