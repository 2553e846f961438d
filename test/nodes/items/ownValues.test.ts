import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	NodeParameterValue,
} from 'n8n-workflow';
import { systemClock } from '../../../gateway';
import { packageNode, videoOperations } from '../../engine/packageNodes';
import { runAgent } from '../../engine/runAgent';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { ENDLESS } from '../video/waitingNode';

// Each parameter of each operation is read from its own item: two items with two values give what each gives alone.

const { simulator, runNode, time } = useVirtualTime({ videoSeconds: 90 });

type Pair = readonly [NodeParameterValue | object, NodeParameterValue | object];

/** Two values of each parameter that lead to different requests or items. */
const VALUES: Record<string, Pair> = {
	model: ['heron-chat', 'pebble-mini'],
	messagesSource: ['define', 'json'],
	'messages.values.role': ['user', 'system'],
	'messages.values.content': ['Good day', 'Good night'],
	messagesJson: [
		'[{ "role": "user", "content": "One" }]',
		'[{ "role": "user", "content": "Two" }]',
	],
	simplify: [true, false],
	'options.additionalBody': ['{ "seed": 1 }', '{ "seed": 2 }'],
	'options.frequencyPenalty': [0.5, 1],
	'options.includeInputFields': [false, true],
	'options.maxTokens': [64, 128],
	'options.jsonOutput': [false, true],
	'options.presencePenalty': [0.5, 1],
	'options.stop': ['Stop', 'End'],
	'options.stream': [false, true],
	'options.systemMessage': ['Be brief', 'Be kind'],
	'options.temperature': [0.5, 1],
	'options.topP': [0.5, 0.7],
	'options.user': ['anna', 'ben'],
	'options.maxBillableRequests': [0, 5],
	'options.maxRetries': [0, 2],
	'options.timeout': [1, 5],
	returnAll: [false, true],
	limit: [2, 3],
	'filters.kind': ['text', 'video'],
	'filters.search': ['heron', 'kite'],
	'filters.versions': ['latest', 'undated'],
	// The prompts of two tasks.
	taskId: ['A boat', 'A kite'],
	prompt: ['A boat', 'A kite'],
	size: ['720p', '1080p'],
	duration: [5, 8],
	download: [false, true],
	binaryProperty: ['clip', 'film'],
	fileName: ['one.mp4', 'two.mp4'],
	'options.fps': [24, 60],
	'options.n': [1, 2],
	'options.responseFormat': ['url', 'b64_json'],
	'waitOptions.maxWait': [60, 200],
	'waitOptions.onTimeout': ['error', 'output'],
	'waitOptions.pollInterval': [10, 40],
};

/** All items of a run share these: docs and form say so. */
const SHARED = /^options\.(maxConcurrency|maxRetries|timeout)$/;

/** What a parameter needs to have an effect. */
const NEEDS: Record<string, INodeParameters> = {
	returnAll: { limit: 2 },
	messagesJson: { messagesSource: 'json' },
	messagesSource: { messagesJson: '[{ "role": "user", "content": "Of JSON" }]' },
	binaryProperty: { download: true },
	fileName: { download: true },
	'options.responseFormat': { download: true },
	'options.maxRetries': { question: '[fault:internal-error]' },
	'options.timeout': { question: '[fault:hang]' },
	'waitOptions.maxWait': { prompt: ENDLESS },
	'waitOptions.onTimeout': { prompt: ENDLESS, waitOptions: { maxWait: 60 } },
};

const START: Record<string, INodeParameters> = {
	chatCompletion: {
		model: 'heron-chat',
		messages: { values: [{ role: 'user', content: 'Good day {}' }] },
	},
	listModels: {},
	lmChatGenerationService: { model: 'heron-chat', question: 'Good day' },
	videoGeneration: { model: 'kite-motion', prompt: 'A boat' },
};

function* pathsOf(properties: INodeProperties[], before = ''): Generator<string> {
	for (const { name, type, options = [], noDataExpression } of properties) {
		const path = `${before}${name}`;
		if (type === 'hidden' || noDataExpression) continue;
		if (type !== 'collection' && type !== 'fixedCollection') yield path;
		else
			for (const option of options)
				if ('values' in option) yield* pathsOf(option.values, `${path}.${option.name}.`);
				else if ('type' in option) yield* pathsOf([option], `${path}.`);
	}
}

const isOf = (operation: string) => (property: INodeProperties) => {
	const shown = property.displayOptions?.show?.operation;
	return shown === undefined || shown.includes(operation);
};

const CASES = [
	['chatCompletion', ''],
	['listModels', ''],
	['lmChatGenerationService', ''],
	...videoOperations.map(({ value }) => ['videoGeneration', String(value)]),
].flatMap(([node = '', operation = '']) => {
	const properties = packageNode(node).description.properties.filter(isOf(operation));
	const paths = new Set(pathsOf(properties));
	return [...paths]
		.filter((path) => node === 'lmChatGenerationService' || !SHARED.test(path))
		.map((path): [string, string, string] => [path, node, operation]);
});

/** The parameters with the value at a path; a list has one entry. */
function withValue(parameters: INodeParameters, [name = '', ...rest]: string[], value: unknown) {
	const inner = parameters[name];
	const [first] = Array.isArray(inner) ? (inner as INodeParameters[]) : [inner];
	const next: unknown =
		rest.length === 0 ? value : withValue((first ?? {}) as INodeParameters, rest, value);
	return { ...parameters, [name]: Array.isArray(inner) ? [next] : next } as INodeParameters;
}

/** Of each item: what was sent for it and what came out, without what differs in each run. */
async function outcomes(node: string, parameters: INodeParameters, items: IDataObject[]) {
	const from = simulator.requests.length;
	const out = await (node === 'lmChatGenerationService' ? ofModel : ofNode)(
		node,
		parameters,
		items,
	);
	const sent = simulator.requests.slice(from);
	const bodies = sent
		.filter(({ body }) => body !== undefined)
		.map(({ body }) => JSON.stringify(body));
	const polled = new Map<string, number>();
	for (const { endpoint, path } of sent)
		if (endpoint === 'poll') polled.set(path, (polled.get(path) ?? 0) + 1);
	return {
		bodies: bodies.sort(),
		polls: [...polled.values()].sort((a, b) => a - b),
		texts: items.map((_, index) =>
			out.filter(({ item }) => item === index).map(({ text }) => withoutIds(text)),
		),
	};
}

type Outcomes = Array<{ item: number; text: string }>;

async function ofNode(node: string, parameters: INodeParameters, items: IDataObject[]) {
	const run = await runNode({ node, parameters, items, onError: 'continueRegularOutput' });
	if (run.error) throw run.error;
	return run.items.map(({ json, binary, pairedItem }) => {
		const { item = 0 } = pairedItem as { item?: number };
		const files = Object.entries(binary ?? {}).map(([field, { fileName }]) => [field, fileName]);
		return { item, text: JSON.stringify([json, files]) };
	});
}

/** A chain asks the chat model of each of its items. */
async function ofModel(_: string, parameters: INodeParameters, items: IDataObject[]) {
	const { question, ...model } = parameters;
	const asking = runAgent(simulator, {
		...{ items, model, withoutModel: true },
		work: async ({ modelOf }) => {
			const answers: Outcomes = [];
			for (const item of items.keys()) {
				const asked = (await modelOf(item)).invoke([['user', question]]);
				const text = await asked.then((answer) => answer.text).catch(String);
				answers.push({ item, text });
			}
			return answers;
		},
	});
	const { result, error } = await time.until(asking);
	if (error) throw error;
	return result as Outcomes;
}

const withoutIds = (text: string) =>
	text
		.replace(/(task|chatcmpl|video|req)[-_][0-9a-f]{6,}/g, '$1')
		.replace(/"(\w+_at|created|item)":\d+/g, '"$1":0')
		.replace(/needs \d+ billable requests?/g, 'needs some')
		.replace(/127\.0\.0\.1:\d+/g, 'service');

/** Submits a video for each item. Get finds it finished. */
async function withTasks(items: IDataObject[], operation: string, needs: INodeParameters) {
	const parameters = { ...START.videoGeneration, ...needs, operation: 'submit' };
	const run = await runNode({ node: 'videoGeneration', parameters, items });
	if (operation === 'get') await time.until(systemClock.sleep(100_000));
	return items.map((item, index) => ({ ...item, task: run.items[index]?.json.task_id as string }));
}

test.each(CASES)('%s of %s %s is read from its own item', async (path, node, operation) => {
	const values = VALUES[path];
	if (values === undefined) throw new Error(`VALUES has no two values of ${path}`);
	const expression = '={{ $json.value }}';
	const own = path === 'model' ? { __rl: true, mode: 'id', value: expression } : expression;
	const needs = NEEDS[path] ?? {};
	const start = { ...START[node], ...needs, ...(operation && { operation }) };
	const parameters = withValue(start, path.split('.'), own);
	const ofTask = /^(get|wait)$/.test(operation);
	if (ofTask) parameters.taskId = '={{ $json.task }}';
	const run = async (...items: IDataObject[]) => {
		const prompt = path === 'taskId' ? { prompt: '={{ $json.value }}' } : needs;
		const all = ofTask ? await withTasks(items, operation, prompt) : items;
		return await outcomes(node, parameters, all);
	};
	const [one, other] = values.map((value) => ({ value }) as IDataObject);
	const alone = [await run(one!), await run(other!)];
	const both = await run(one!, other!);
	expect(alone[0]).not.toEqual(alone[1]);
	expect(both).toEqual({
		bodies: alone.flatMap(({ bodies }) => bodies).sort(),
		polls: alone.flatMap(({ polls }) => polls).sort((a, b) => a - b),
		texts: alone.flatMap(({ texts }) => texts),
	});
});

test.each(['chatCompletion', 'listModels', 'videoGeneration'])(
	'Max Concurrency, Max Retries and Timeout of %s are those of the first item',
	async (node) => {
		const sending = { maxConcurrency: 1, maxRetries: 2, timeout: 30 };
		const options = Object.fromEntries(
			Object.keys(sending).map((name) => [name, `={{ $json.${name} }}`]),
		);
		const parameters = { ...START[node], options };
		const inRange = await runNode({ node, parameters, items: [sending, { timeout: 'long' }] });
		expect(inRange.error).toBeUndefined();
		expect(inRange.hints.join()).not.toContain('has no value');
		const outOfRange = await runNode({ node, parameters, items: [{ timeout: 0 }, sending] });
		expect(outOfRange.error?.message).toMatch(/^Timeout must be/);
	},
);

test('an option that fails in the first item fails no other', async () => {
	const parameters = {
		...START.chatCompletion,
		options: { temperature: '={{ $json.value }}', maxRetries: 0 },
	};
	const items = [{ value: 9 }, { value: 1 }];
	const run = await runNode({
		...{ node: 'chatCompletion', parameters, items },
		onError: 'continueRegularOutput',
	});
	expect(run.items.map(({ json }) => 'error' in json)).toEqual([true, false]);
});
