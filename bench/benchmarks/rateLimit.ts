import {
	bars,
	type Bench,
	compare,
	type Contestant,
	type Measured,
	OURS,
	type Stage,
} from '../benchmark';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';

const ITEMS = 1_000;
const PER_SECOND = 50;
/** The first second's requests pass at once. */
const LIMIT_SECONDS = (ITEMS - PER_SECOND) / PER_SECOND;
const TIME = 'time of the batch';
const FAILED = 'failed items';
const LIMIT = "the limit's own time";
const AT_ONCE = 'HTTP Request node';
const BATCHED = 'HTTP Request node, batched';

/** Runs the batch once, with failures as items. */
function batch(choose: (n8n: N8n, stage: Stage) => NodeOnTest): Contestant {
	return async (stage) => {
		const n8n = await loadN8n();
		const node: NodeOnTest = { ...choose(n8n, stage), onError: 'continueRegularOutput' };
		return async () => {
			const begin = performance.now();
			const items = await n8n.runNode(node, n8n.questions(ITEMS));
			const seconds = (performance.now() - begin) / 1000;
			const done = items.filter(({ json }) => json.error === undefined).length;
			return { [TIME]: seconds, [FAILED]: ITEMS - done };
		};
	};
}

/** As its documentation advises against a rate limit: so many items, then a pause. */
function batched(n8n: N8n, stage: Stage): NodeOnTest {
	const node = n8n.httpRequestNode(stage);
	const batching = { batch: { batchSize: PER_SECOND, batchInterval: 1_000 } };
	return { ...node, parameters: { ...node.parameters, options: { batching } } };
}

export const rateLimit: Bench = {
	name: 'rate-limit',
	what: `${ITEMS.toLocaleString('en-US')} items against a limit of ${PER_SECOND} a second`,
	method: `The service takes ${PER_SECOND} requests a second, and the first ${PER_SECOND} at once: ${ITEMS.toLocaleString('en-US')} items take ${LIMIT_SECONDS} seconds at best. Nothing is configured in the Chat
Completion node. The HTTP Request node sends all at once, or with its batching in batches of ${PER_SECOND} with a pause of one second. Each has a service of its
own, in real time, once: the clock decides here, not the machine.`,
	cost: `\`limits/rateLimiter.ts\`, \`limitEstimator.ts\`, \`sendPeriod.ts\` and \`fixedWindow.ts\`, 510 lines: one limiter for each key in the process, which models the
service as a bucket of tokens or a window, from what it takes and refuses. \`limits/README.md\` explains it.`,
	goals: [
		{ figure: TIME, peer: LIMIT, of: 'ratio', atMost: 1.1 },
		{ figure: FAILED, peer: AT_ONCE, of: 'ours', atMost: 0 },
	],
	contestants: {
		[OURS]: batch((n8n, stage) => n8n.chatNode(stage)),
		[AT_ONCE]: batch((n8n, stage) => n8n.httpRequestNode(stage)),
		[BATCHED]: batch(batched),
	},
	async run(competition) {
		const measured: Measured = {};
		// One after the other: a thousand connections at once would hold up the others.
		for (const name of [OURS, AT_ONCE, BATCHED]) {
			const service = await competition.service({
				rateLimit: { requestsPerSecond: PER_SECOND, burst: PER_SECOND },
			});
			const rules = { repetitions: 1, warmUps: 0 };
			Object.assign(measured, await competition.measure([name], service, rules));
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
