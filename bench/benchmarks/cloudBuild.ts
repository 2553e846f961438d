import { bars, type Benchmark, compare, type Candidate, OURS } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { timed } from '../harness/measure';
import { peakGrowthMiB } from '../harness/memory';
import { AT_ONCE, FIXED_QUESTION, VIDEO_MODEL } from '../harness/workload';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';

const MIB = 1024 ** 2;
const REQUESTS = 1_000;
const FILE_BYTES = 256 * MIB;
const CLOUD = 'the verified build';
const SPEED = 'requests per second';
const CPU = 'CPU per request';
const CONNECTIONS = `connections for ${REQUESTS} requests`;
const DOWNLOAD = 'memory of a download of 256 MiB';

type Choose = (n8n: N8n, node: NodeUnderTest) => NodeUnderTest;

/** The two builds have the same nodes. */
const builds: Record<string, Choose> = {
	[OURS]: (_n8n, node) => node,
	[CLOUD]: (n8n, node) => ({ ...node, loaded: n8n.cloudPackage() }),
};

const chat =
	(choose: Choose): Candidate =>
	async (target) => {
		const n8n = await loadN8n();
		const node = choose(n8n, n8n.chatNode(target, {}, FIXED_QUESTION));
		return async () => {
			const { wall, cpu } = await timed(async () => {
				const items = await n8n.runNode(node, n8n.questions(REQUESTS));
				if (items.length !== REQUESTS) throw new Error(`The node returned ${items.length} items`);
			});
			return { [SPEED]: (1000 * REQUESTS) / wall, [CPU]: (1000 * cpu) / REQUESTS };
		};
	};

const download =
	(choose: Choose): Candidate =>
	async (target) => {
		const n8n = await loadN8n();
		const { data } = await openGateway(target, 1).submitVideo({
			model: VIDEO_MODEL,
			prompt: 'A paper boat',
		});
		const parameters = { operation: 'get', taskId: data[0]?.id ?? '', download: true };
		const node = choose(n8n, n8n.videoNode(target, parameters));
		return async () => {
			const { resident } = await peakGrowthMiB(async () => {
				const [item] = await n8n.runNode(node, [{}]);
				const bytes = Number(item?.binary?.data?.bytes);
				if (!(bytes >= FILE_BYTES)) throw new Error(`${bytes} bytes arrived`);
			});
			return { [DOWNLOAD]: resident };
		};
	};

const candidatesOf = (name: string, choose: Choose): Record<string, Candidate> => ({
	[`${name}, chat`]: chat(choose),
	[`${name}, download`]: download(choose),
});

export const cloudBuild: Benchmark = {
	name: 'cloud-build',
	title: 'The verified build',
	method: `The same nodes from both builds in n8n's engine: ${REQUESTS} items through Chat Completion with ${AT_ONCE} requests in flight, over TLS; a finished
video of 256 MiB through Video Generation (Get, with Download), each time in a new process. Memory is
the growth of the resident set at its peak.`,
	cost: "`gateway/cloud/`, four files: a transport over n8n's request helper, a clock over its `sleep`, and downloads and inline videos without Node.js streams and files.",
	goals: [],
	candidates: Object.fromEntries(
		Object.entries(builds).flatMap(([name, choose]) => Object.entries(candidatesOf(name, choose))),
	),
	async run(runner) {
		const service = await runner.service();
		const large = await runner.service({ videoSeconds: 0, videoBytes: FILE_BYTES });
		const measured: Record<string, Record<string, number>> = {};
		const fresh = { repetitions: 3, warmUps: 0, fresh: true };
		for (const name of Object.keys(builds)) {
			const chats = `${name}, chat`;
			const before = await service.connections();
			const once = await runner.measure([chats], service, { ...fresh, repetitions: 1 });
			const opened = (await service.connections()) - before;
			const warm = await runner.measure([chats], service, { repetitions: 3, warmUps: 2 });
			const url = await runner.measure([`${name}, download`], large, fresh);
			measured[name] = Object.assign({}, ...[once, warm, url].flatMap(Object.values), {
				[CONNECTIONS]: opened,
			}) as Record<string, number>;
			await runner.endProcesses();
		}
		return {
			comparisons: [
				compare(measured, SPEED, '', CLOUD),
				compare(measured, CPU, 'µs', CLOUD),
				compare(measured, CONNECTIONS, '', CLOUD),
				compare(measured, DOWNLOAD, 'MiB', CLOUD),
			],
			charts: [bars(measured, SPEED, 'Requests per second', '1/s')],
			notes: [],
		};
	},
};
