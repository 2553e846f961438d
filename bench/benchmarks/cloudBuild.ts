import { bars, type Bench, compare, type Contestant, OURS } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { timed } from '../harness/measure';
import { peakGrowthMiB } from '../harness/memory';
import { FIXED_QUESTION, VIDEO_MODEL } from '../harness/model';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';

const MIB = 1024 ** 2;
const REQUESTS = 1_000;
const FILE_BYTES = 256 * MIB;
const CLOUD = 'the build for n8n Cloud';
const SPEED = 'requests a second';
const CPU = 'CPU of a request';
const CONNECTIONS = `connections for ${REQUESTS} requests`;
const DOWNLOAD = 'memory of a download of 256 MiB';

type Choose = (n8n: N8n, node: NodeOnTest) => NodeOnTest;

/** Both builds run the same nodes; one comes from another folder. */
const builds: Record<string, Choose> = {
	[OURS]: (_n8n, node) => node,
	[CLOUD]: (n8n, node) => ({ ...node, loaded: n8n.cloudPackage() }),
};

const chat =
	(choose: Choose): Contestant =>
	async (stage) => {
		const n8n = await loadN8n();
		const node = choose(n8n, n8n.chatNode(stage, {}, FIXED_QUESTION));
		return async () => {
			const { wall, cpu } = await timed(async () => {
				const items = await n8n.runNode(node, n8n.questions(REQUESTS));
				if (items.length !== REQUESTS) throw new Error(`${items.length} items came back`);
			});
			return { [SPEED]: (1000 * REQUESTS) / wall, [CPU]: (1000 * cpu) / REQUESTS };
		};
	};

const download =
	(choose: Choose): Contestant =>
	async (stage) => {
		const n8n = await loadN8n();
		const { data } = await openGateway(stage, 1).submitVideo({
			model: VIDEO_MODEL,
			prompt: 'A paper boat',
		});
		const parameters = { operation: 'get', taskId: data[0]?.id ?? '', download: true };
		const node = choose(n8n, n8n.videoNode(stage, parameters));
		return async () => {
			const { resident } = await peakGrowthMiB(async () => {
				const [item] = await n8n.runNode(node, [{}]);
				const bytes = Number(item?.binary?.data?.bytes);
				if (!(bytes >= FILE_BYTES)) throw new Error(`${bytes} bytes arrived`);
			});
			return { [DOWNLOAD]: resident };
		};
	};

const contestantsOf = (name: string, choose: Choose): Record<string, Contestant> => ({
	[`${name}, chat`]: chat(choose),
	[`${name}, download`]: download(choose),
});

export const cloudBuild: Bench = {
	name: 'cloud-build',
	what: 'What the build for n8n Cloud gives up',
	method: `The same nodes from both builds in n8n's engine: ${REQUESTS} items through Chat Completion with its default of 10 requests at once, over TLS; a finished
video of 256 MiB through Video Generation (Get, with Download), each time in a new process. Memory is
the peak of the resident set less what it was before.`,
	cost: "`gateway/cloud/`, four files: a transport over n8n's request helper, a clock over its `sleep`, downloads and inline videos without the streams and files of Node.js.",
	goals: [],
	contestants: Object.fromEntries(
		Object.entries(builds).flatMap(([name, choose]) => Object.entries(contestantsOf(name, choose))),
	),
	async run(competition) {
		const service = await competition.service();
		const large = await competition.service({ videoSeconds: 0, videoBytes: FILE_BYTES });
		const measured: Record<string, Record<string, number>> = {};
		const fresh = { repetitions: 3, warmUps: 0, fresh: true };
		for (const name of Object.keys(builds)) {
			const chats = `${name}, chat`;
			const before = await service.connections();
			const once = await competition.measure([chats], service, { ...fresh, repetitions: 1 });
			const opened = (await service.connections()) - before;
			const warm = await competition.measure([chats], service, { repetitions: 3, warmUps: 2 });
			const url = await competition.measure([`${name}, download`], large, fresh);
			measured[name] = Object.assign({}, ...[once, warm, url].flatMap(Object.values), {
				[CONNECTIONS]: opened,
			}) as Record<string, number>;
			await competition.dismissAll();
		}
		return {
			comparisons: [
				compare(measured, SPEED, '1/s', CLOUD),
				compare(measured, CPU, 'µs', CLOUD),
				compare(measured, CONNECTIONS, '', CLOUD),
				compare(measured, DOWNLOAD, 'MiB', CLOUD),
			],
			charts: [bars(measured, SPEED, 'Requests a second', '1/s')],
			notes: [],
		};
	},
};
