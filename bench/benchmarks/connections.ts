import { bars, type Bench, compare, type Contestant, OURS, type Stage } from '../benchmark';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';
import { inParallel } from '../harness/measure';
import { openPool } from '../harness/rawUndici';

const REQUESTS = 500;
const AT_ONCE = 10;
const HTTP_REQUEST = 'HTTP Request node';
const UNDICI = 'undici';
const CONNECTIONS = 'connections';
const ALLOWED = 'maxConcurrency';

function throughNode(choose: (n8n: N8n, stage: Stage) => NodeOnTest): Contestant {
	return async (stage) => {
		const n8n = await loadN8n();
		const node = choose(n8n, stage);
		return async () => ({ requests: (await n8n.runNode(node, n8n.questions(REQUESTS))).length });
	};
}

export const connections: Bench = {
	name: 'connections',
	what: `Connections for ${REQUESTS} requests`,
	method: `${REQUESTS} items through Chat Completion with its default of ${AT_ONCE} requests at once, and through the HTTP Request node, each in a new
process. The simulator counts the connections that are opened, each with a TLS handshake.`,
	cost: `\`limits/semaphore.ts\`, 34 lines. One of them waits for the turn of the event loop after which undici reuses a connection.`,
	goals: [{ figure: CONNECTIONS, peer: ALLOWED, of: 'ratio', atMost: 1 }],
	contestants: {
		[OURS]: throughNode((n8n, stage) => n8n.chatNode(stage)),
		[HTTP_REQUEST]: throughNode((n8n, stage) => n8n.httpRequestNode(stage)),
		[UNDICI]: (stage) => {
			const { chat } = openPool(stage, AT_ONCE);
			return async () => {
				await inParallel(REQUESTS, AT_ONCE, chat);
				return { requests: REQUESTS };
			};
		},
	},
	async run(competition) {
		const service = await competition.service();
		const measured = await competition.measure([OURS, HTTP_REQUEST, UNDICI], service, {
			repetitions: 1,
			warmUps: 0,
			fresh: true,
			watch: async (measure) => {
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
