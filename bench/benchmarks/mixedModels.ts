import type { IDataObject } from 'n8n-workflow';
import {
	bars,
	type Benchmark,
	compare,
	type Candidate,
	type Measured,
	OURS,
	type Target,
} from '../benchmark';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';

const ITEMS = 240;
/** One item in so many is for the scarce model. */
const SCARCE_ONE_IN = 5;
const PLENTY = { model: 'heron-chat', requestsPerSecond: 20, burst: 20 };
const SCARCE = { model: 'lantern-reason', requestsPerSecond: 3, burst: 3 };
const REFUSED_AT_RANDOM = 0.05;
/** That of the scarce model. */
const LIMIT_SECONDS = (ITEMS / SCARCE_ONE_IN - SCARCE.burst) / SCARCE.requestsPerSecond;
/** Nearly as many a second as both limits allow in this mixture. */
const BATCHING = { batch: { batchSize: 10, batchInterval: 1_000 } };
const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 };

const TIME = 'time of the batch';
const FAILED = 'failed items';
const PEER = 'HTTP Request node';
const LIMIT = 'the minimum at these limits';

const items = (n8n: N8n): IDataObject[] =>
	n8n.questions(ITEMS).map((question, item) => ({
		...question,
		model: item % SCARCE_ONE_IN === 0 ? SCARCE.model : PLENTY.model,
	}));

/** Runs the batch once; failures become items. */
function batch(choose: (n8n: N8n, target: Target) => NodeUnderTest): Candidate {
	return async (target) => {
		const n8n = await loadN8n();
		const node: NodeUnderTest = { ...choose(n8n, target), onError: 'continueRegularOutput' };
		return async () => {
			const begin = performance.now();
			const output = await n8n.runNode(node, items(n8n));
			const seconds = (performance.now() - begin) / 1000;
			const done = output.filter(({ json }) => json.error === undefined).length;
			return { [TIME]: seconds, [FAILED]: ITEMS - done };
		};
	};
}

function ours(n8n: N8n, target: Target): NodeUnderTest {
	const node = n8n.chatNode(target);
	const model = { __rl: true, mode: 'id', value: '={{ $json.model }}' };
	return { ...node, parameters: { ...node.parameters, model } };
}

/** As its documentation recommends for rate limits, with n8n's Retry On Fail. */
function peer(n8n: N8n, target: Target): NodeUnderTest {
	const node = n8n.httpRequestNode(target);
	const jsonBody =
		'={{ { "model": $json.model, "messages": [{ "role": "user", "content": $json.question }] } }}';
	const parameters = { ...node.parameters, jsonBody, options: { batching: BATCHING } };
	return { ...node, ...RETRY, parameters };
}

export const mixedModels: Benchmark = {
	name: 'mixed-models',
	title: `${ITEMS} items for two models with limits of their own, and refusals at random`,
	method: `Every fifth item is for a model that takes ${SCARCE.requestsPerSecond} requests a second, the others are for one that takes ${PLENTY.requestsPerSecond}: at least ${LIMIT_SECONDS} seconds.
Of all requests, ${REFUSED_AT_RANDOM * 100}% are refused at random with 429 and a \`Retry-After\` of one second. The Chat Completion node has its default settings and knows none
of this. The HTTP Request node is set up by somebody who knows the limits: batches of ${BATCHING.batch.batchSize} a second, and Retry On Fail with ${RETRY.maxTries} tries, which n8n applies to
the whole batch, and only if its first item fails. Each has its own service and runs once, in real time. The refusals are others in each run: read the
failed items, and of the time only whether it is of the same order.`,
	cost: `The limiters of the benchmark above: one for each model.`,
	goals: [{ figure: FAILED, peer: PEER, of: 'ours', atMost: 0 }],
	candidates: { [OURS]: batch(ours), [PEER]: batch(peer) },
	async run(runner) {
		const measured: Measured = {};
		for (const name of [OURS, PEER]) {
			const service = await runner.service({
				limits: [PLENTY, SCARCE].map(({ model, ...bucket }) => ({
					kind: 'bucket',
					models: [model],
					...bucket,
				})),
				refusals: [{ probability: REFUSED_AT_RANDOM, status: 429, retryAfterSeconds: 1 }],
			});
			const options = { repetitions: 1, warmUps: 0 };
			Object.assign(measured, await runner.measure([name], service, options));
		}
		const withLimit = { ...measured, [LIMIT]: { [TIME]: LIMIT_SECONDS } };
		return {
			comparisons: [
				compare(measured, FAILED, '', PEER),
				...[LIMIT, PEER].map((other) => compare(withLimit, TIME, 's', other)),
			],
			charts: [bars(measured, FAILED, `Failed items of ${ITEMS}`, '')],
			notes: [],
		};
	},
};
