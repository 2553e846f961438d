import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { type Simulator, startSimulator } from '../../simulator';
import type { VirtualClock } from '../gateway/virtualClock';
import { type NodeRun, runNode } from '../engine/runNode';
import { until, virtualTime } from '../engine/virtualTime';
import { chatNode } from './chatNode';

let clock: VirtualClock;
let restore: () => void;
let simulator: Simulator;
/** What undici and Node.js tell when the head of a response has arrived: from then on a cancel meets the body. */
const HEAD_ARRIVED = ['undici:request:headers', 'http.client.response.finish'];
let heads = 0;
const countHead = () => void (heads += 1);
beforeAll(() => HEAD_ARRIVED.forEach((channel) => subscribe(channel, countHead)));
afterAll(() => HEAD_ARRIVED.forEach((channel) => unsubscribe(channel, countHead)));

beforeEach(async () => {
	heads = 0;
	({ clock, restore } = virtualTime());
	simulator = await startSimulator({ now: clock.now, videoSeconds: 1 });
});
afterEach(async () => {
	restore();
	await simulator.close();
});

const video = (parameters: object = {}): NodeRun => ({
	node: 'videoGeneration',
	parameters: { model: 'kite-motion', prompt: 'A boat', ...parameters },
});
const five = Array.from({ length: 5 }, () => ({}));
const oneByOne = { requestOptions: { maxConcurrency: 1 } };
/** Submitted, and its first poll due. */
const submitted = async () => {
	await until(() => simulator.submissions === 1 && clock.nextIn <= 5_000);
	clock.advance(5_000);
};

interface Moment {
	run: NodeRun;
	/** Faults by endpoint. */
	faults?: Partial<
		Record<'chat' | 'chatStream' | 'models' | 'submit' | 'poll' | 'download', string>
	>;
	/** Resolves when the moment is there. */
	reached: () => Promise<void>;
	/** Connections that lie idle in the pool by then, and may stay. */
	idle?: number;
}

const MOMENTS: Record<string, () => Moment> = {
	'waiting for an answer': () => ({
		run: chatNode(),
		faults: { chat: 'hang' },
		reached: async () => await until(() => simulator.count('chat') === 1),
	}),
	'queued for a place among the requests in flight': () => ({
		run: { ...chatNode(oneByOne), items: five },
		faults: { chat: 'hang' },
		reached: async () => await until(() => simulator.count('chat') === 1),
	}),
	'in the middle of an answer': () => ({
		run: chatNode(),
		faults: { chat: 'hang-inside' },
		reached: async () => await until(() => heads === 1),
	}),
	'in a stream': () => ({
		run: chatNode({ options: { stream: true } }),
		faults: { chatStream: 'stream-hang' },
		reached: async () => await until(() => heads === 1),
	}),
	'in the back-off after a 503': () => ({
		run: chatNode(),
		faults: { chat: 'unavailable' },
		reached: async () => await until(() => clock.nextIn <= 500),
		idle: 1,
	}),
	'while the rate limiter holds it back': () => ({
		run: { ...chatNode(), items: five },
		faults: { chat: 'rate-limit' },
		reached: async () => await until(() => simulator.count('chat') === 5 && clock.nextIn <= 1_000),
		idle: 5,
	}),
	'listing models': () => ({
		run: { node: 'listModels', parameters: {} },
		faults: { models: 'hang' },
		reached: async () => await until(() => simulator.count('models') === 1),
	}),
	'in a submission': () => ({
		run: video(),
		faults: { submit: 'hang' },
		reached: async () => await until(() => simulator.count('submit') === 1),
	}),
	'between polls': () => ({
		run: video(),
		reached: async () => await until(() => simulator.submissions === 1 && clock.nextIn <= 5_000),
		idle: 1,
	}),
	'in a poll': () => ({
		run: video(),
		faults: { poll: 'hang' },
		reached: async () => {
			await submitted();
			await until(() => simulator.count('poll') === 1);
		},
	}),
	'in the back-off of a poll': () => ({
		run: video(),
		faults: { poll: 'internal-error' },
		reached: async () => {
			await submitted();
			await until(() => simulator.count('poll') === 1 && clock.nextIn <= 500);
		},
		idle: 1,
	}),
	'in a download': () => ({
		run: video({ download: true }),
		faults: { download: 'hang-inside' },
		reached: async () => {
			await submitted();
			await until(() => simulator.count('download') === 1 && heads === 3);
		},
		idle: 1,
	}),
	'in an inline video': () => ({
		run: video({ download: true, options: { responseFormat: 'b64_json' } }),
		faults: { poll: 'hang-inside' },
		reached: async () => {
			await submitted();
			await until(() => simulator.count('poll') === 1 && heads === 2);
		},
	}),
};

test.each(Object.keys(MOMENTS))(
	'a cancel %s ends the node at once, closes its connections and sends nothing more',
	async (moment) => {
		const { run, faults = {}, reached, idle = 0 } = MOMENTS[moment]!();
		for (const [endpoint, fault] of Object.entries(faults)) {
			simulator.inject({ endpoint: endpoint as never, fault });
		}
		const controller = new AbortController();
		// With Retry On Fail n8n calls the node again even after a cancel.
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
		await until(() => simulator.openSockets <= idle);
		clock.advance(600_000);
		for (let turns = 0; turns < 20; turns += 1) await turn();
		expect(simulator.requests).toHaveLength(sent);
	},
);
