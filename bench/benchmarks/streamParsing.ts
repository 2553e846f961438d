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
			await gateway.streamChat({ model: MODEL, messages }, onText);
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

export const streamParsing: Benchmark = {
	name: 'stream-parsing',
	title: 'Reading a long streamed answer',
	method: `An event stream of ${STREAM_BYTES / MIB} MiB from memory, in packets of ${PACKET_BYTES / 1024} KiB: no network, only what the client does with the bytes until the last text is passed
on. Each chunk has one token of a text as models write it: Markdown with line breaks, quotes, code, accents and emoji.`,
	goals: [
		{
			...{ figure: SPEED, peer: OPEN_AI, builds: ['verified', 'undici'], of: 'ratio', atLeast: 3 },
			noise: CPU_NOISE,
		},
	],
	candidates: { ...ofBothBuilds(ours), [OPEN_AI]: openAi },
	async run(runner) {
		const service = await runner.service();
		const measured = await runner.measure([...Object.values(BUILDS), OPEN_AI], service, {
			repetitions: 9,
		});
		return {
			comparisons: [compare(measured, SPEED, 'MiB/s', OPEN_AI)],
			charts: [bars(measured, SPEED, 'Reading an event stream', 'MiB/s')],
			notes: [],
		};
	},
};
