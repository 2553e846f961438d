import { performance } from 'node:perf_hooks';
import OpenAI from 'openai';
import { bars, type Benchmark, compare, type Candidate, type Measure, OURS } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { median } from '../harness/measure';
import { MODEL } from '../harness/workload';
import { loadN8n } from '../harness/n8n';
import { openPool } from '../harness/rawUndici';

const ROUND_TRIP_MS = 40;
/** Answers in each repetition, which counts with their median. */
const ANSWERS = 6;
const WORDS = 25;
const WORD_MS = 4;
const FIRST = 'time to the first text';

const UNDICI = 'undici';
const NODE = 'ours, through the node';
const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'openai package';

const question = `[words:${WORDS}] What is worth knowing?`;
const messages: [{ role: 'user'; content: string }] = [{ role: 'user', content: question }];

/** Sends one request after the other and measures the time to the first text. Each answer is read to its end. */
function measuring(send: (onText: () => void) => Promise<unknown>): Measure {
	return async () => {
		const times: number[] = [];
		for (let count = 0; count < ANSWERS; count += 1) {
			let first: number | undefined;
			const begin = performance.now();
			await send(() => (first ??= performance.now() - begin));
			times.push(first ?? NaN);
		}
		return { [FIRST]: median(times) };
	};
}

const undici: Candidate = ({ url, key }) => {
	const { pool } = openPool({ url, key }, 1);
	return measuring(async (onText) => {
		const { body } = await pool.request({
			method: 'POST',
			path: '/v1/chat/completions',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ model: MODEL, messages, stream: true }),
		});
		for await (const bytes of body) {
			if (/"delta":\{"content":"[^"]/.test(String(bytes))) onText();
		}
	});
};

const openAi: Candidate = ({ url, key }) => {
	const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
	return measuring(async (onText) => {
		const stream = await client.chat.completions.create({ model: MODEL, messages, stream: true });
		for await (const { choices } of stream) if (choices[0]?.delta.content) onText();
	});
};

const ourNode: Candidate = async (target) => {
	const { chatNode, runNode } = await loadN8n();
	const node = chatNode(target, { stream: true });
	return measuring(async (onText) => {
		const onChunk: NonNullable<typeof node.onChunk> = ({ type, content }) => {
			if (type === 'item' && content) onText();
		};
		await runNode({ ...node, onChunk }, [{ question }]);
	});
};

/** It returns nothing until the answer is complete. */
const httpRequestNode: Candidate = async (target) => {
	const n8n = await loadN8n();
	const node = n8n.httpRequestNode(target, { stream: true });
	node.parameters.options = { response: { response: { responseFormat: 'text' } } };
	return measuring(async (onText) => {
		const [item] = await n8n.runNode(node, [{ question }]);
		if (String(item?.json.data).includes('[DONE]')) onText();
	});
};

export const firstChunk: Benchmark = {
	name: 'first-chunk',
	title: 'The first word of a streamed answer',
	method: `With a round trip of ${ROUND_TRIP_MS} ms, from the call to the first text. Connections of earlier answers are reused. The answer has ${WORDS} words,
${WORD_MS} ms apart. The HTTP Request node opens a connection for each request and returns the answer as text when it is complete.
"${NODE}" is from the start of the workflow to the chunk that n8n sends to the reader.`,
	cost: `No extra code: all requests share the pool, and text is passed on as soon as it arrives.`,
	goals: [{ figure: FIRST, peer: UNDICI, of: 'ratio', atMost: 1.05 }],
	candidates: {
		[OURS]: (target) => {
			const gateway = openGateway(target, 1);
			return measuring(
				async (onText) => await gateway.streamChat({ model: MODEL, messages }, onText),
			);
		},
		[NODE]: ourNode,
		[UNDICI]: undici,
		[OPEN_AI]: openAi,
		[HTTP_REQUEST]: httpRequestNode,
	},
	async run(runner) {
		const service = await runner.service({
			roundTripMs: ROUND_TRIP_MS,
			chunkDelayMs: WORD_MS,
		});
		const names = [OURS, NODE, UNDICI, OPEN_AI, HTTP_REQUEST];
		const measured = await runner.measure(names, service, { repetitions: 4 });
		return {
			comparisons: [UNDICI, OPEN_AI, HTTP_REQUEST].map((peer) =>
				compare(measured, FIRST, 'ms', peer),
			),
			charts: [bars(measured, FIRST, 'From the call to the first word', 'ms')],
			notes: [],
		};
	},
};
