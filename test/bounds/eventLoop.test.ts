import { type Gateway, jsonValuesIn, taskFailed } from '../../gateway';
import { ApiKey } from '../../gateway/redaction';
import { collectGarbage } from '../engine/collectGarbage';
import { stubbedGateway } from '../gateway/inMemory';
import { noJsonError } from '../../nodes/ChatCompletion/answer';
import { Template } from '../../nodes/shared/form/template';
import { videoFile } from '../../nodes/VideoGeneration/tasks/download';

const MiB = 1024 * 1024;
const SMALL = 100_000;
const PACKET = 64 * 1024;

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const models = async (gateway: Gateway) => await gateway.listModels();
const task = async (gateway: Gateway) => await gateway.getVideoTask('t');
const submit = async (gateway: Gateway) => await gateway.submitVideo({ model: 'm', prompt: 'p' });
const answer = async (gateway: Gateway): Promise<unknown> => await gateway.chat(chat);
const stream = async (gateway: Gateway) => await gateway.chat(chat, undefined, () => {});
const json = async (gateway: Gateway) => {
	const completion = await gateway.chat(chat);
	return jsonValuesIn(completion) ?? noJsonError(completion, (text) => text);
};

interface Hostile {
	call: (gateway: Gateway) => Promise<unknown>;
	start?: string;
	part: string;
	end?: string;
	/** Bytes of the largest response that is not refused for its size, or of one that shows how the time grows. */
	most: number;
	status?: number;
}

/** Parts of the text of an answer. */
const inText = (part: string, call = answer): Hostile => ({
	call,
	start: '{"choices":[{"message":{"content":"',
	part,
	end: '"}}]}',
	most: 2 * MiB,
});
/** Parts of a list at this place. */
const inList = (call: Hostile['call'], start: string, part: string, most: number): Hostile => {
	const opened = [...start].filter((bracket) => '{['.includes(bracket));
	const end = opened.map((bracket) => (bracket === '{' ? '}' : ']')).reverse();
	return { call, start, part: `${part},`, end: part + end.join(''), most };
};
/** An event with a piece of the arguments of a tool call. */
const argumentsPiece = (text: string) =>
	`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"${text}"}}]}}]}\n`;
const record = `{"id":"${'é-'.repeat(60)}","tasks":["text"]}`;

const CASES: Record<string, Hostile> = {
	'a list of names': inList(models, '[', '"a"', 9_999 * 4),
	'a list of records': inList(models, '{"data":[', record, 1_900_000),
	'a list of numbers': inList(models, '[', '1', 9_999 * 2),
	'a task of lists': inList(task, '{"id":"t","status":"failed","error":[', '[]', 199_000 * 3),
	'a task of empty texts': inList(task, '{"id":"t","status":"queued","more":[', '""', 199_000 * 3),
	'an answer of many parts': inList(
		answer,
		'{"choices":[{"message":{"content":[',
		'{"text":"a"}',
		499_000 * 13,
	),
	'an answer of escapes': inText('%25&amp;\\\\'),
	'an answer of escaped quotes': inText('\\"'),
	'an answer of code blocks': inText('\\n```', json),
	'a stream of events that are ignored': { call: stream, part: 'data: {"a":1}\n', most: MiB },
	'a stream of usage alone': { call: stream, part: 'data: {"usage":{}}\n', most: MiB },
	'a stream of many pieces of tool calls': {
		call: stream,
		part: 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"}"}}]}}]}\n',
		most: 2 * MiB,
	},
	'a stream of arguments in pieces of four characters': {
		call: stream,
		start: argumentsPiece('{\\"a\\":\\"'),
		part: argumentsPiece('text'),
		most: 4 * MiB,
	},
	'a stream of a tool name in single characters': {
		call: stream,
		part: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"n"}}]}}]}\n`,
		most: 2 * MiB,
	},
	'a chunk of many pieces of one entry': {
		call: stream,
		start: `data: {"choices":[{"delta":{"annotations":[${Array.from({ length: 1_000 }, (_, index) => `{"index":${index}}`).join()}`,
		part: ',{"index":0}',
		end: ']}}]}\n',
		most: 2 * MiB,
	},
	'a failed task of many names': {
		call: async (gateway) => taskFailed(await gateway.getVideoTask('t')),
		start: '{"id":"t","status":"failed","error":{',
		part: '"%name":"%text",',
		end: '"a":0}}',
		most: 1_900_000,
	},
	'an error that looks like a page': { call: models, part: '<script', most: 250_000, status: 400 },
	'an error of spaces': { call: models, part: '<a ', most: 250_000, status: 400 },
};

/** Less cannot be told from what else the process does. */
const MIN_MS = 5;
const ROUNDS = 5;

function bodyOf({ start = '', part, end = '' }: Hostile, size: number): Buffer {
	const count = Math.floor(size / Buffer.byteLength(part));
	return Buffer.from(start + part.repeat(count) + end);
}

/** Of the thread that runs JavaScript, where Node.js tells it: what collects garbage has others. */
const usage = process.threadCpuUsage ?? process.cpuUsage;

/** The processor time in milliseconds: other processes do not count. */
async function costOf(work: () => unknown): Promise<number> {
	const begin = usage();
	await work();
	const { user, system } = usage(begin);
	return (user + system) / 1000;
}

/** The cost of the fastest of several runs of each work, in turns: what slows the process down for a while slows all of them. */
async function fastestOf<Work extends Array<() => unknown>>(...works: Work) {
	const least = works.map(() => Infinity);
	for (let round = 0; round < ROUNDS; round += 1)
		for (const [index, work] of works.entries())
			least[index] = Math.min(least[index]!, await costOf(work));
	return least as { [Index in keyof Work]: number };
}

/** Reads a body. */
function readingOf({ call, status = 200 }: Hostile, body: Buffer): () => Promise<unknown> {
	const packets = Array.from({ length: Math.ceil(body.length / PACKET) }, (_, packet) =>
		body.subarray(packet * PACKET, (packet + 1) * PACKET),
	);
	const response = { packets, status, apiKey: 'the-long-key-of-tests' };
	return async () => await call(stubbedGateway(response)).catch(() => {});
}

// In the middle of a collection each reading is several times as slow.
beforeEach(collectGarbage);

test.each(Object.entries(CASES))(
	'%s takes at most three times as long for its size as one of 100 kB',
	async (_what, hostile) => {
		const small = bodyOf(hostile, Math.min(SMALL, hostile.most));
		const large = bodyOf(hostile, hostile.most);
		const [ofSmall, taken] = await fastestOf(readingOf(hostile, small), readingOf(hostile, large));
		const share = Math.max(ofSmall, MIN_MS) / small.length;
		expect(taken).toBeLessThan(share * large.length * 3);
	},
);

/** Lists that are counted before their entries are read. */
const LISTS: Record<string, Hostile> = {
	'a list of models': inList(models, '{"data":[', '{}', MiB),
	'an answer of choices': inList(answer, '{"choices":[', '{}', MiB),
	'an answer of calls': inList(answer, '{"choices":[{"message":{"tool_calls":[', '{}', MiB),
	'an answer of parts': inList(answer, '{"choices":[{"message":{"content":[', '{}', MiB),
	'a submission of tasks': inList(submit, '{"data":[', '{"id":1}', MiB),
	'a task of errors': inList(task, '{"id":"t","status":"failed","error":[', '{}', MiB),
	'a task of URLs': inList(task, '{"id":"t","status":"completed","output":[', '""', MiB),
	'a chunk of choices': inList(stream, 'data: {"choices":[', '{}', MiB),
	'a chunk of calls': inList(stream, 'data: {"choices":[{"delta":{"tool_calls":[', '{}', MiB),
};

test.each(Object.entries(LISTS))(
	'%s without end takes little longer than to parse its JSON',
	async (_what, hostile) => {
		const body = bodyOf(hostile, hostile.most);
		const text = body.toString().replace(/^data: /, '');
		const parse = () => JSON.parse(text) as unknown;
		const [parsing, taken] = await fastestOf(parse, readingOf(hostile, body));
		expect(taken).toBeLessThan(Math.max(parsing, MIN_MS) * 8);
	},
);

test('an answer of a million parts that are none takes little longer than one with a million numbers elsewhere', async () => {
	const numbers = { call: answer, part: '0,', most: 2 * 999_000 };
	const ofField = (field: string) => ({
		...numbers,
		start: `{"choices":[{"message":{"content":"a"${field}[`,
		end: '0]}}]}',
	});
	const [plain, parts] = [ofField(',"more":'), ofField(',"content":')];
	const reading = (hostile: Hostile) => readingOf(hostile, bodyOf(hostile, hostile.most));
	const [ofPlain, taken] = await fastestOf(reading(plain), reading(parts));
	expect(taken).toBeLessThan(ofPlain * 10);
});

test.each<[string, (text: string) => unknown, string]>([
	['a prompt of braces', (text) => new Template('prompt', text, {}).fixed, '{{'],
	['a prompt of one open expression', (text) => new Template('prompt', text, {}).fixed, '{{ $a '],
	['a prompt of expressions', (text) => new Template('prompt', text, {}).fixed, '{{ a }} $'],
	['a file name of dots', (text) => videoFile({ id: 't', status: 'completed' }, `a${text}b`), '. '],
])('%s takes a time that grows with its length', async (_what, read, part) => {
	const [short, long] = [part.repeat(2_000), part.repeat(100_000)];
	const [share, taken] = await fastestOf(
		() => read(short),
		() => read(long),
	);
	expect(taken).toBeLessThan(Math.max(share, MIN_MS / 2) * 50 * 3);
});

/** Characters, as many as a list of models or the answer to a test of the credential may have. */
const SEARCHED = 1.5 * MiB;
const NEARLY = `${'a'.repeat(4_000)}b${'a'.repeat(3_999)}`;

const KEYS: Record<string, string> = {
	'a key of one character': 'a'.repeat(8_000),
	'a key that nearly repeats': NEARLY,
	'a short key that nearly repeats': NEARLY.slice(3_900, 4_128),
	'a key of slashes': '/'.repeat(16_384),
};

test.each(Object.entries(KEYS))(
	'a text is searched for %s in at most three times the time that JSON of its size takes',
	async (_what, key) => {
		const apiKey = new ApiKey(key);
		const numbers = `[${'0,'.repeat(SEARCHED / 2)}0]`;
		const parse = () => JSON.parse(numbers) as unknown;
		for (const part of ['a', `${'a'.repeat(255)}c`, '/', '%2F']) {
			const text = part.repeat(SEARCHED / part.length);
			const [parsing, searching] = await fastestOf(parse, () => apiKey.redactResponse(text));
			expect(searching).toBeLessThan(Math.max(parsing, MIN_MS) * 3);
		}
	},
);
