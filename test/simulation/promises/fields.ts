import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { generatedFields } from '../../../nodes/VideoGeneration/output';
import type { Played } from '../play/played';
import type { ScenarioNode, VideoNode } from '../scenario/schema';
import type { TruthRequest, TruthTask } from '../service';
import { isErrorItem, nodeRuns } from './evidence';

type ChatNode = Extract<ScenarioNode, { kind: 'chat' }>;

/** Each field of an item, simplified or not, is that of one response: of the poll, the submission or the chat that it comes from. */
export function fields(played: Played): string[] {
	return nodeRuns(played).flatMap(({ node, outputs, row }) => {
		if (node.kind !== 'chat' && node.kind !== 'video') return [];
		const good = outputs.flat().filter((output) => !isErrorItem(output));
		const found = good.flatMap(({ json }: INodeExecutionData) =>
			node.kind === 'chat' ? ofChat(played, node, json) : ofVideo(played, node, json),
		);
		return found.map((how) => `execution ${row.id}, ${node.name}: ${how}`);
	});
}

/** Of a response in another form than the document's, other promises say what an item has. */
const isPlain = ({ fault = 'slow' }: TruthRequest) => fault === 'slow';
const isWhole = ({ whole, status }: TruthRequest) => whole && (status === 200 || status === 201);

function ofVideo({ truth }: Played, node: VideoNode, json: IDataObject): string[] {
	const task = truth.tasks.get(String(json.task_id));
	if (task === undefined || isOdd(task)) return [];
	const polls = truth.requests.filter(
		(each) => each.endpoint === 'poll' && each.taskId === task.id && isWhole(each),
	);
	if (![...polls, task.request].every(isPlain) || !task.request.whole) return [];
	const { data, ...submission } = jsonOf(task.request) as Submission & {
		data: IDataObject[];
	};
	const submitted = data.find(({ id }) => id === task.id) ?? {};
	const seen = node.operation === 'submit' ? [] : polls.map(jsonOf);
	const isOwn = node.operation === 'generate' || node.operation === 'submit';
	// Get and Wait know a task from its polls alone: before the first one, its item says that it is unknown.
	if (!isOwn && seen.length === 0 && json.status === 'unknown') return [];
	const expected = [...seen, submitted].map((task) =>
		node.simplify === false
			? wholeTask(task, submitted, node, submission)
			: simplified(task, isOwn ? submission : undefined),
	);
	return unlike(`the item of task ${task.id}`, json, expected);
}

interface Submission extends IDataObject {
	id: string;
	created: number;
	model: string;
}

/** A service that names its tasks strangely, or of which another promise says more. */
function isOdd({ plan, id, reportedId }: TruthTask): boolean {
	return id !== reportedId || Boolean(plan.numericId ?? plan.extraField ?? plan.missingEntryId);
}

function simplified(task: IDataObject, submission: Submission | undefined): IDataObject {
	const { id: task_id, status, progress, url, revised_prompt, created_at, completed_at } = task;
	const { duration, size, fps, format } = (task.metadata ?? {}) as IDataObject;
	const ofTask: Record<Exclude<keyof typeof generatedFields, 'model' | 'request_id'>, unknown> = {
		...{ task_id, status: nameOf(status), progress, url, revised_prompt },
		...{ duration, size, fps, format, completed_at },
		created_at: created_at ?? submission?.created,
	};
	return {
		...(ofTask as IDataObject),
		...(submission && { model: submission.model, request_id: submission.id }),
	};
}

/** A video inside a response fills no item. */
function wholeTask(
	task: IDataObject,
	submitted: IDataObject,
	{ operation }: VideoNode,
	request: IDataObject,
): IDataObject {
	const { error, ...others } = task;
	return {
		...submitted,
		...others,
		status: nameOf(task.status),
		b64_json: undefined,
		...(operation === 'submit' && { request }),
	};
}

function nameOf(status: unknown): string {
	return String(status).trim().toLowerCase();
}

function ofChat({ truth }: Played, { simplify = true }: ChatNode, json: IDataObject): string[] {
	const answers = truth.requests.filter((each) => each.endpoint === 'chat' && isWhole(each));
	if (Object.keys(json).length === 0 || !answers.every(isPlain)) return [];
	const own = answers.filter(({ answer }) => answer.includes(`"id":"${String(json.id)}"`));
	const expected = own.map(completionOf).map((completion) => {
		if (!simplify) return { ...completion, object: 'chat.completion' };
		const { id, model, usage, choices } = completion;
		return { id, model, usage, finish_reason: choices[0]?.finish_reason };
	});
	return unlike(`the answer ${String(json.id)}`, json, expected);
}

interface Completion extends IDataObject {
	choices: IDataObject[];
}

/** A stream has it in parts. */
function completionOf(request: TruthRequest): Completion {
	if (!request.answer.startsWith('data: ')) return jsonOf(request) as Completion;
	const chunks = request.answer
		.split('\n\n')
		.filter((event) => event !== '' && event !== 'data: [DONE]')
		.map((event) => JSON.parse(event.slice('data: '.length)) as Completion);
	const choices = chunks.flatMap((chunk) => chunk.choices);
	const content = choices
		.map(({ delta }) => (delta as IDataObject | undefined)?.content ?? '')
		.join('');
	const message = { role: 'assistant', content };
	const { finish_reason } = choices.at(-1) ?? {};
	return { ...chunks.at(-1), choices: [{ index: 0, message, finish_reason }] };
}

function jsonOf({ answer }: TruthRequest): IDataObject {
	return JSON.parse(answer) as IDataObject;
}

/** The fields that an item shares with none of the responses that it may come from. */
function unlike(what: string, json: IDataObject, expected: IDataObject[]): string[] {
	const wrong = expected.map((fields) =>
		Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(json[name], value)),
	);
	const [closest] = wrong.toSorted((one, other) => one.length - other.length);
	if (closest === undefined) return [`${what} comes from no response`];
	return closest.map(
		([name, value]) =>
			`${what} has the ${name} ${JSON.stringify(json[name])}; the service sent ${JSON.stringify(value)}`,
	);
}
