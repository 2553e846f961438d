import OpenAI from 'openai';
import {
	bars,
	type Benchmark,
	type Build,
	BUILDS,
	compare,
	CPU_NOISE,
	type Candidate,
	ofBothBuilds,
} from '../benchmark';
import { DOCUMENTED, readDocumented } from '../harness/documentedAnswers';
import {
	gatewayWithResponse,
	eventStream,
	PACKET_BYTES,
	STREAM_HEADERS,
} from '../harness/inMemoryResponses';
import { timed } from '../harness/measure';
import { MODEL } from '../harness/workload';

const MIB = 1024 ** 2;
const STREAM_BYTES = 50 * MIB;
const SPEED = 'MiB per second';
const OPEN_AI = 'openai package';
const JSON_PARSE = 'JSON.parse';
const READ_DOCUMENTED = ', documented answers';
const ANSWERS = 10_000;
const BOTH: Build[] = ['verified', 'undici'];
/** How many times the time of `JSON.parse` a documented answer takes at most. */
const MOST_TIMES = [2, 4, 4, 2];

/** Measures how fast the text is read, and checks that all of it is. */
function measuring(read: (packets: Buffer[], onText: (text: string) => void) => Promise<unknown>) {
	const packets = eventStream(STREAM_BYTES);
	const bytes = packets.reduce((sum, { length }) => sum + length, 0);
	return async () => {
		let letters = 0;
		const { wall } = await timed(
			async () => await read(packets, (text) => void (letters += text.length)),
		);
		if (letters < bytes / 200) throw new Error(`Only ${letters} letters were read`);
		return { [SPEED]: bytes / MIB / (wall / 1000) };
	};
}

const messages: [{ role: 'user'; content: string }] = [{ role: 'user', content: 'Hello' }];

const ours =
	(build: Build): Candidate =>
	(target) =>
		measuring(async (packets, onText) => {
			const gateway = gatewayWithResponse(target, build, STREAM_HEADERS, packets);
			await gateway.chat({ model: MODEL, messages }, undefined, onText);
		});

const openAi: Candidate = ({ url, key }) =>
	measuring(async (packets, onText) => {
		const client = new OpenAI({
			baseURL: url,
			apiKey: key,
			fetch: async () =>
				await Promise.resolve(
					new Response(ReadableStream.from(packets), { headers: STREAM_HEADERS }),
				),
		});
		const stream = await client.chat.completions.create({ model: MODEL, messages, stream: true });
		for await (const { choices } of stream) onText(choices[0]?.delta.content ?? '');
	});

const documented =
	(isPlain: boolean): Candidate =>
	() =>
	async (times) =>
		await Promise.resolve(readDocumented(times, isPlain));

export const streamParsing: Benchmark = {
	name: 'stream-parsing',
	title: 'Reading a long streamed answer, and documented ones',
	method: `An event stream of ${STREAM_BYTES / MIB} MiB from memory, in packets of ${PACKET_BYTES / 1024} KiB: no network, only what the client does with the bytes until the last text is passed
on. Each chunk has one token of a text as models write it: Markdown with line breaks, quotes, code, accents and emoji. And ${ANSWERS.toLocaleString('en')} answers of each kind exactly as the
interface document shows them, from their text to the checked resource, in CPU time beside \`JSON.parse\` alone. Both builds share that code.`,
	goals: [
		{
			...{ figure: SPEED, peer: OPEN_AI, builds: BOTH, of: 'ratio', atLeast: 3 },
			noise: CPU_NOISE,
		},
		...DOCUMENTED.map((figure, kind) => ({
			...{ figure, peer: JSON_PARSE, builds: BOTH, of: 'ratio' as const },
			...{ atMost: MOST_TIMES[kind]!, noise: CPU_NOISE },
		})),
	],
	candidates: {
		...ofBothBuilds(ours),
		[OPEN_AI]: openAi,
		[BUILDS.verified + READ_DOCUMENTED]: documented(false),
		[BUILDS.undici + READ_DOCUMENTED]: documented(false),
		[JSON_PARSE]: documented(true),
	},
	async run(runner) {
		const service = await runner.service();
		const measured = await runner.measure([...Object.values(BUILDS), OPEN_AI], service, {
			repetitions: 9,
		});
		const names = Object.values(BUILDS);
		const read = await runner.measure(
			[...names.map((name) => name + READ_DOCUMENTED), JSON_PARSE],
			service,
			{ repetitions: 15, warmUps: 5, size: ANSWERS, processes: 3 },
		);
		const answers = Object.fromEntries(
			Object.entries(read).map(([name, sample]) => [name.replace(READ_DOCUMENTED, ''), sample]),
		);
		return {
			comparisons: [
				compare(measured, SPEED, 'MiB/s', OPEN_AI),
				...DOCUMENTED.map((figure) => compare(answers, figure, 'µs', JSON_PARSE)),
			],
			charts: [bars(measured, SPEED, 'Reading an event stream', 'MiB/s')],
			notes: [],
		};
	},
};
