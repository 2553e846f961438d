import { bars, type Benchmark, compare, type Candidate, OURS, type Target } from '../benchmark';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';
import { inParallel } from '../harness/measure';
import { openPool } from '../harness/rawUndici';
import { linesOf } from '../report/linesOf';
import { AT_ONCE } from '../harness/workload';

const REQUESTS = 500;
const HTTP_REQUEST = 'HTTP Request node';
const UNDICI = 'undici';
const CONNECTIONS = 'connections';
const ALLOWED = 'maxConcurrency';

function throughNode(choose: (n8n: N8n, target: Target) => NodeUnderTest): Candidate {
	return async (target) => {
		const n8n = await loadN8n();
		const node = choose(n8n, target);
		return async () => ({ requests: (await n8n.runNode(node, n8n.questions(REQUESTS))).length });
	};
}

export const connections: Benchmark = {
	name: 'connections',
	title: `Connections for ${REQUESTS} requests`,
	method: `${REQUESTS} items through Chat Completion with ${AT_ONCE} requests in flight, and through the HTTP Request node, each in a new
process. The simulator counts the connections, each with a TLS handshake.`,
	cost: `${linesOf('gateway/limits/serviceQueue.ts')}. It waits for the turn of the event loop in which undici makes a connection reusable.`,
	goals: [{ figure: CONNECTIONS, peer: ALLOWED, of: 'ratio', atMost: 1 }],
	candidates: {
		[OURS]: throughNode((n8n, target) => n8n.chatNode(target)),
		[HTTP_REQUEST]: throughNode((n8n, target) => n8n.httpRequestNode(target)),
		[UNDICI]: (target) => {
			const { chat } = openPool(target, AT_ONCE);
			return async () => {
				await inParallel(REQUESTS, AT_ONCE, chat);
				return { requests: REQUESTS };
			};
		},
	},
	async run(runner) {
		const service = await runner.service();
		const measured = await runner.measure([OURS, HTTP_REQUEST, UNDICI], service, {
			repetitions: 1,
			warmUps: 0,
			fresh: true,
			wrap: async (measure) => {
				const before = await service.connections();
				const sample = await measure();
				return { ...sample, [CONNECTIONS]: (await service.connections()) - before };
			},
		});
		const limit = { ...measured, [ALLOWED]: { [CONNECTIONS]: AT_ONCE } };
		return {
			comparisons: [ALLOWED, HTTP_REQUEST, UNDICI].map((peer) =>
				compare(limit, CONNECTIONS, '', peer),
			),
			charts: [bars(measured, CONNECTIONS, `Connections opened for ${REQUESTS} requests`, '')],
			notes: [],
		};
	},
};
