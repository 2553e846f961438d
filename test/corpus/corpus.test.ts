import type { INodeParameters } from 'n8n-workflow';
import { ENDPOINTS } from '../../simulator';
import { merged, type Model, type Reply, useModel } from '../engine/runAgent';
import type { NodeResult, NodeRun } from '../engine/runNode';
import { testCredential } from '../engine/testCredential';
import { useVirtualTime } from '../engine/useVirtualTime';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';
import * as gatewayError from '../../gateway/errors/gatewayError';
import { CORPUS, type FieldCase, type Outcome } from './corpus';

const { time, simulator, runNode } = useVirtualTime();
const SIMPLIFY_OFF = { simplify: false };
const MODEL = { __rl: true, mode: 'id', value: 'heron-chat' };

const chat = (more: object, options: object) => {
	const { options: own, ...parameters } = more as { options?: object };
	return chatNode({ ...parameters, options: { ...options, ...own } } as INodeParameters);
};

/** The nodes that a case runs, by what it expects of them. */
const NODES: Record<Exclude<keyof FieldCase['expect'], 'model'>, (more: object) => NodeRun> = {
	chat: (more) => chat(more, { stream: false }),
	streamed: (more) => chat(more, { stream: true }),
	models: (more) => ({ node: 'listModels', parameters: { returnAll: true, ...more } }),
	submit: (more) => videoNode({ operation: 'submit', ...more }),
	generate: (more) => videoNode({ waitOptions: {}, ...more }),
	get: (more) => videoNode({ operation: 'get', taskId: 'task-of-the-field', ...more }),
};

/** Whether what is read is seen: the verified build has the gateway in its bundle. */
const IS_SOURCE = !require.resolve('../../gateway').includes('dist-verified');

/** After an hour the rate limiter has forgotten what it learned from the case before. */
const AN_HOUR_MS = 3_600_000;

function play(name: string, { sends }: FieldCase): void {
	time.advance(AN_HOUR_MS);
	simulator.reset();
	for (const endpoint of [...ENDPOINTS, 'other' as const])
		if (sends[endpoint] ?? (endpoint === 'chatStream' && sends.chat))
			simulator.inject({ endpoint, fault: `field-${name}` });
}

const lower = (text: unknown) => String(text).toLowerCase();

function expectWords(text: string, { says = [], never = [] }: Outcome): void {
	for (const words of says) expect(lower(text)).toContain(lower(words));
	for (const words of never) expect(lower(text)).not.toContain(lower(words));
}

function expectOutcome({ items, hints }: NodeResult, expected: Outcome): void {
	const { item, error, hint = [], ids, file } = expected;
	const first = items[0]?.json ?? {};
	const told = (first.error ?? {}) as Record<string, unknown>;
	if (error || expected.says) expect(first).toEqual({ error: expect.anything() as unknown });
	else expect(told).toEqual({});
	if (error) expect(told).toMatchObject(error);
	if (item) expect(first).toMatchObject(item);
	if (ids) expect(items.map(({ json }) => json.id)).toEqual(ids);
	if (expected.items !== undefined) expect(items).toHaveLength(expected.items);
	if (file) expect(items[0]?.binary?.data).toMatchObject(file);
	for (const words of hint) expect(lower(hints.join('\n'))).toContain(lower(words));
	expectWords([told.message, told.description, ...hints].join('\n'), expected);
	for (const [endpoint, count] of Object.entries(expected.requests ?? {}))
		expect([endpoint, simulator.count(endpoint as 'poll')]).toEqual([endpoint, count]);
}

async function playNode(
	name: string,
	field: FieldCase,
	how: keyof typeof NODES,
	expected: Outcome,
) {
	const { raw, item, ...rest } = expected;
	const run = async (more: object) => {
		play(name, field);
		const node = NODES[how]({ ...field.with, ...more });
		return await runNode({ ...node, onError: 'continueRegularOutput' });
	};
	if (!raw || item) expectOutcome(await run({}), { item, ...rest } as Outcome);
	if (raw) expectOutcome(await run(SIMPLIFY_OFF), { ...rest, item: raw });
}

const USES: ReadonlyArray<(model: Model) => Promise<Reply>> = [
	async (model) => await model.invoke(['Hello']),
	async (model) => await merged(await model.stream(['Hello'])),
];

async function playModel(name: string, field: FieldCase, expected: Outcome) {
	for (const use of USES) {
		play(name, field);
		let reply: Reply | undefined;
		const run = await time.until(
			useModel(simulator, async (model) => (reply = await use(model)), {
				model: { model: MODEL, ...field.with } as INodeParameters,
			}),
		);
		if (expected.error || expected.says) {
			expect(reply).toBeUndefined();
			const { message, description } = run.error as { message: string; description?: string };
			// n8n's editor reads them as HTML.
			expectWords(`${message}\n${description}`.replaceAll('&lt;', '<'), expected);
		} else {
			expect(run.error).toBeUndefined();
			const { text, tool_calls } = expected.item ?? {};
			if (text !== undefined) expect(reply?.text).toBe(text);
			if (tool_calls !== undefined) expect(reply?.tool_calls).toMatchObject(tool_calls as object);
		}
	}
}

/** What the chat model makes of calls, which n8n's agents read in a form of their own. */
function inModel({ item, ...rest }: Outcome): Outcome {
	if (!item?.tool_calls) return { item, ...rest };
	const calls = item.tool_calls as Array<{ function: { name: string; arguments: string } }>;
	const tool_calls = calls.map(({ function: { name, arguments: text } }) => ({
		name,
		args: JSON.parse(text) as object,
	}));
	return { ...rest, item: { ...item, tool_calls } } as Outcome;
}

async function playCase(name: string, field: FieldCase): Promise<void> {
	const { chat, streamed = chat, model = chat && inModel(chat), ...others } = field.expect;
	for (const [how, expected] of Object.entries({ chat, streamed, ...others }))
		if (expected) await playNode(name, field, how as keyof typeof NODES, expected);
	if (model) await playModel(name, field, model);
	if (!others.models) return;
	play(name, field);
	const credential = { baseUrl: simulator.url, apiKey: simulator.key };
	// Virtual time would be over between two requests.
	const failure = await testCredential(credential);
	expect(failure !== undefined).toBe((others.models.error ?? others.models.says) !== undefined);
}

test.each(CORPUS)('%s', async (name, field) => {
	const unread = jest.spyOn(gatewayError, 'malformedBody');
	await playCase(name, field);
	const isRead = Object.values(field.sends).every((answers) =>
		answers.every((answer) => answer.isRead),
	);
	// An answer that is only forgiven is none that is read.
	if (IS_SOURCE) expect(unread.mock.calls.length === 0).toBe(isRead);
});
