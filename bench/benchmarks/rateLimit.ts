import {
	bars,
	type Benchmark,
	BUILDS,
	compare,
	type Candidate,
	type Measured,
	ofBothBuilds,
	type Target,
} from '../benchmark';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';

const ITEMS = 1_000;
const PER_SECOND = 50;
/** The requests of the first second pass at once. */
const LIMIT_SECONDS = (ITEMS - PER_SECOND) / PER_SECOND;
const TIME = 'time of the batch';
const FAILED = 'failed items';
const LIMIT = 'the minimum at this limit';
const AT_ONCE = 'HTTP Request node';
const BATCHED = 'HTTP Request node, batched';

/** Runs the batch once; failures become items. */
function batch(choose: (n8n: N8n, target: Target) => NodeUnderTest): Candidate {
	return async (target) => {
		const n8n = await loadN8n();
		const node: NodeUnderTest = { ...choose(n8n, target), onError: 'continueRegularOutput' };
		return async () => {
			const begin = performance.now();
			const items = await n8n.runNode(node, n8n.questions(ITEMS));
			const seconds = (performance.now() - begin) / 1000;
			const done = items.filter(({ json }) => json.error === undefined).length;
			return { [TIME]: seconds, [FAILED]: ITEMS - done };
		};
	};
}

/** As its documentation recommends for rate limits: a batch of items, then a pause. */
function batched(n8n: N8n, target: Target): NodeUnderTest {
	const node = n8n.httpRequestNode(target);
	const batching = { batch: { batchSize: PER_SECOND, batchInterval: 1_000 } };
	return { ...node, parameters: { ...node.parameters, options: { batching } } };
}

export const rateLimit: Benchmark = {
	name: 'rate-limit',
	title: `${ITEMS.toLocaleString('en-US')} items against a limit of ${PER_SECOND} per second`,
	method: `The service accepts ${PER_SECOND} requests per second, and the first ${PER_SECOND} at once: ${ITEMS.toLocaleString('en-US')} items take at least ${LIMIT_SECONDS} seconds. Chat
Completion has its default settings. The HTTP Request node sends all requests at once, or in batches of ${PER_SECOND} with a pause of one second. Each has its own
service and runs once, in real time.`,
	goals: [
		{ figure: TIME, peer: LIMIT, builds: ['verified', 'undici'], of: 'ratio', atMost: 1.1 },
		{ figure: FAILED, peer: AT_ONCE, builds: ['verified', 'undici'], of: 'ours', atMost: 0 },
	],
	candidates: {
		...ofBothBuilds((build) => batch((n8n, target) => n8n.chatNode(target, build))),
		[AT_ONCE]: batch((n8n, target) => n8n.httpRequestNode(target)),
		[BATCHED]: batch(batched),
	},
	async run(runner) {
		const measured: Measured = {};
		// One after the other: a thousand connections at once would slow down the others.
		for (const name of [...Object.values(BUILDS), AT_ONCE, BATCHED]) {
			const service = await runner.service({
				rateLimit: { requestsPerSecond: PER_SECOND, burst: PER_SECOND },
			});
			const options = { repetitions: 1, warmUps: 0 };
			Object.assign(measured, await runner.measure([name], service, options));
		}
		const withLimit = { ...measured, [LIMIT]: { [TIME]: LIMIT_SECONDS } };
		return {
			comparisons: [
				...[LIMIT, AT_ONCE, BATCHED].map((peer) => compare(withLimit, TIME, 's', peer)),
				...[AT_ONCE, BATCHED].map((peer) => compare(measured, FAILED, '', peer)),
			],
			charts: [
				bars(measured, FAILED, `Failed items of ${ITEMS.toLocaleString('en-US')}`, ''),
				bars(withLimit, TIME, 'Time of the batch', 's'),
			],
			notes: [],
		};
	},
};
