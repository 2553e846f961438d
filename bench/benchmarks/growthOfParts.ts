import { type Benchmark, compareNumbers, type Candidate, CPU_NOISE } from '../benchmark';
import { number } from '../report/format';
import {
	gatewayWithResponse,
	catalogue,
	eventStream,
	JSON_HEADERS,
	STREAM_HEADERS,
} from '../harness/inMemoryResponses';
import { MODEL } from '../harness/workload';
import { loadN8n } from '../harness/n8n';

/** The large container has this many times the parts of a small one, and small ones are read this many times. */
const TIMES = 100;
const REPETITIONS = 3;

/** A part of which one execution, answer or catalogue can have many. */
interface Part {
	/** How many parts a small container has. */
	few: number;
	container: string;
	candidate: Candidate;
}

/** Microseconds of CPU time per part, in small containers and in a large one. */
function measuring(few: number, prepare: (size: number) => () => Promise<unknown>) {
	const each = async (size: number, containers: number) => {
		const read = prepare(size);
		const before = process.cpuUsage();
		for (let container = 0; container < containers; container += 1) await read();
		const { user, system } = process.cpuUsage(before);
		return (user + system) / containers / size;
	};
	return async () => ({ few: await each(few, TIMES), many: await each(few * TIMES, 1) });
}

const PARTS: Record<string, Part> = {
	video: {
		few: 100,
		container: 'one execution',
		async candidate(target) {
			const { generateNode, prompts, runNode } = await loadN8n();
			const node = generateNode(target, { pollInterval: 0.1 });
			return measuring(this.few, (size) => {
				const items = prompts(size);
				return async () => await runNode(node, items);
			});
		},
	},
	word: {
		few: 1_000,
		container: 'one streamed answer',
		candidate(target) {
			return measuring(this.few, (size) => {
				const gateway = gatewayWithResponse(target, STREAM_HEADERS, eventStream(size));
				const messages = [{ role: 'user' as const, content: 'Hello' }];
				return async () => await gateway.streamChat({ model: MODEL, messages }, () => {});
			});
		},
	},
	model: {
		few: 100,
		container: 'one catalogue',
		candidate(target) {
			return measuring(this.few, (size) => {
				const gateway = gatewayWithResponse(target, JSON_HEADERS, catalogue(size));
				return async () => await gateway.listModels();
			});
		},
	},
};

const figureOf = (name: string, { few, container }: Part) =>
	`CPU per ${name}, ${number(few * TIMES)} in ${container}`;
const peerOf = ({ few }: Part) => `${number(few)} in one`;

export const growthOfParts: Benchmark = {
	name: 'growth-of-parts',
	title: 'More videos, longer answers, larger catalogues',
	method: `Whether a part costs more if there are a hundred times as many of them. Videos run through Video Generation in n8n's engine, each with its
submission and one poll; the client reads streamed answers and catalogues from memory. The small ones are read ${TIMES} times for each large one.`,
	cost: `No extra code: lines, chunks and tasks are each read once, and looked up by key.`,
	goals: Object.entries(PARTS).map(([name, part]) => ({
		figure: figureOf(name, part),
		peer: peerOf(part),
		of: 'ratio',
		atMost: 1.2,
		noise: CPU_NOISE,
	})),
	candidates: Object.fromEntries(
		Object.entries(PARTS).map(([name, part]) => [name, (target) => part.candidate(target)]),
	),
	async run(runner) {
		const service = await runner.service({ encodings: [], videoSeconds: 0 });
		const options = { repetitions: REPETITIONS };
		const measured = await runner.measure(Object.keys(PARTS), service, options);
		return {
			comparisons: Object.entries(PARTS).map(([name, part]) => {
				const { few = NaN, many = NaN } = measured[name] ?? {};
				return compareNumbers(figureOf(name, part), 'µs', many, peerOf(part), few);
			}),
			charts: [],
			notes: [],
		};
	},
};
