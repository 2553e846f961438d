import { type Bench, compareNumbers, type Contestant } from '../benchmark';
import { number } from '../report/format';
import {
	answeredGateway,
	catalogue,
	eventStream,
	JSON_HEADERS,
	STREAM_HEADERS,
} from '../harness/answers';
import { MODEL } from '../harness/model';
import { loadN8n } from '../harness/n8n';

/** Many are so many times few, which are read so often instead. */
const TIMES = 100;
const REPETITIONS = 3;

/** What one execution, answer or catalogue may hold many of. */
interface Part {
	/** The parts of how large a whole are few. */
	few: number;
	whole: string;
	contestant: Contestant;
}

/** Microseconds of CPU time for each part, in wholes of few and in one of many. */
function measuring(few: number, prepare: (size: number) => () => Promise<unknown>) {
	const each = async (size: number, wholes: number) => {
		const read = prepare(size);
		const before = process.cpuUsage();
		for (let whole = 0; whole < wholes; whole += 1) await read();
		const { user, system } = process.cpuUsage(before);
		return (user + system) / wholes / size;
	};
	return async () => ({ few: await each(few, TIMES), many: await each(few * TIMES, 1) });
}

const PARTS: Record<string, Part> = {
	videos: {
		few: 100,
		whole: 'one execution',
		async contestant(stage) {
			const { generatingNode, prompts, runNode } = await loadN8n();
			const node = generatingNode(stage, { pollInterval: 0.1 });
			return measuring(this.few, (size) => {
				const items = prompts(size);
				return async () => await runNode(node, items);
			});
		},
	},
	words: {
		few: 1_000,
		whole: 'one streamed answer',
		contestant(stage) {
			return measuring(this.few, (size) => {
				const gateway = answeredGateway(stage, STREAM_HEADERS, eventStream(size));
				const messages = [{ role: 'user' as const, content: 'Hello' }];
				return async () => await gateway.streamChat({ model: MODEL, messages }, () => {});
			});
		},
	},
	models: {
		few: 1_000,
		whole: 'one catalogue',
		contestant(stage) {
			return measuring(this.few, (size) => {
				const gateway = answeredGateway(stage, JSON_HEADERS, catalogue(size));
				return async () => await gateway.listModels();
			});
		},
	},
};

const figureOf = (name: string, { few, whole }: Part) =>
	`CPU of each of ${number(few * TIMES)} ${name} of ${whole}`;
const peerOf = ({ few }: Part) => `of ${number(few)}`;

export const growthOfParts: Bench = {
	name: 'growth-of-parts',
	what: 'More videos, longer answers, larger catalogues',
	method: `A hundred times as many parts in one whole: what does each of them take? Videos go through Video Generation in n8n's engine, each with its
submission and one poll; streamed answers and catalogues come from memory into the client. The small wholes are read ${TIMES} times for each time that
the large one is.`,
	cost: `No extra code: lines, chunks and tasks are each read once, and found by name.`,
	goals: Object.entries(PARTS).map(([name, part]) => ({
		figure: figureOf(name, part),
		peer: peerOf(part),
		of: 'ratio',
		atMost: 1.2,
	})),
	contestants: Object.fromEntries(
		Object.entries(PARTS).map(([name, part]) => [name, (stage) => part.contestant(stage)]),
	),
	async run(competition) {
		const service = await competition.service({ encodings: [], videoSeconds: 0 });
		const rules = { repetitions: REPETITIONS };
		const measured = await competition.measure(Object.keys(PARTS), service, rules);
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
