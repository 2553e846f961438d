import OpenAI from 'openai';
import { bars, type Bench, compare, type Contestant, OURS } from '../benchmark';
import {
	answeredGateway,
	CHUNK_BYTES,
	eventStream,
	PACKET_BYTES,
	STREAM_HEADERS,
} from '../harness/answers';
import { timed } from '../harness/measure';
import { MODEL } from '../harness/model';

const MIB = 1024 ** 2;
const STREAM_BYTES = 50 * MIB;
const SPEED = 'MiB a second';
const OPEN_AI = 'openai package';

/** Measures how fast the text comes out; it must be all of it. */
function measuring(read: (packets: Buffer[], onText: (text: string) => void) => Promise<unknown>) {
	const packets = eventStream(Math.floor(STREAM_BYTES / CHUNK_BYTES));
	const bytes = packets.reduce((sum, { length }) => sum + length, 0);
	return async () => {
		let letters = 0;
		const { wall } = await timed(
			async () => await read(packets, (text) => void (letters += text.length)),
		);
		if (letters < bytes / 100) throw new Error(`Only ${letters} letters came out`);
		return { [SPEED]: bytes / MIB / (wall / 1000) };
	};
}

const messages: [{ role: 'user'; content: string }] = [{ role: 'user', content: 'Hello' }];

const ours: Contestant = (stage) =>
	measuring(async (packets, onText) => {
		const gateway = answeredGateway(stage, STREAM_HEADERS, packets);
		await gateway.streamChat({ model: MODEL, messages }, onText);
	});

const openAi: Contestant = ({ url, key }) =>
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

export const streamParsing: Bench = {
	name: 'stream-parsing',
	what: 'Reading a long streamed answer',
	method: `An event stream of ${STREAM_BYTES / MIB} MB, some 300,000 chunks of one word each, from memory in packets of ${PACKET_BYTES / 1024} KiB: no network, only what
the client does with the bytes, until the last text is passed on.`,
	cost: `\`sseLines.ts\` and \`completionAssembler.ts\`, 220 lines, work on whole packets: the key is searched once per packet, not once per chunk, and a chunk's
fields are copied one by one instead of by spreading. Each chunk is still checked by its schema, which the peer does not do.`,
	goals: [{ figure: SPEED, peer: OPEN_AI, of: 'ratio', atLeast: 3 }],
	contestants: { [OURS]: ours, [OPEN_AI]: openAi },
	async run(competition) {
		const service = await competition.service();
		const measured = await competition.measure([OURS, OPEN_AI], service, { repetitions: 9 });
		return {
			comparisons: [compare(measured, SPEED, 'MiB/s', OPEN_AI)],
			charts: [bars(measured, SPEED, 'Reading an event stream', 'MiB/s')],
			notes: [],
		};
	},
};
