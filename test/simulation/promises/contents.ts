import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Played } from '../play/played';
import { dataOf } from '../play/rows';
import type { ChatNode } from '../scenario/schema';
import { LEFTOVERS, promptFor } from '../scenario/workflow';
import { videoOf } from '../service';
import { EXTRA_FIELD } from '../../../simulator/video/tasks';
import { answerText } from '../service/answers';
import { FIRST_USAGE, PIECE, PIECES, PROVIDER } from '../service/effects';
import { errorOf, isErrorItem, itemOf, type NodeRun, nodeRuns, submittedBy } from './evidence';
import { fields } from './fields';
import { modelLists } from './modelLists';
import { opening } from './saidAnswers';

/** Every field of an item is what the service sent, or what the user's own item had. */
export function contents(played: Played): string[] {
	const ofRuns = nodeRuns(played).flatMap((run) =>
		run.outputs.flat().flatMap((output) => {
			const what = `execution ${run.row.id}, ${run.node.name}`;
			if (isErrorItem(output))
				return partialText(played, run, output).map((how) => `${what}: ${how}`);
			const found = [
				...(run.node.kind === 'chat' ? chat(played, run.node, output) : []),
				...(run.node.kind === 'video' ? video(played, run, output) : []),
				...inputFields(run, output),
			];
			return found.map((how) => `${what}: ${how}`);
		}),
	);
	return [...ofRuns, ...fields(played), ...modelLists(played), ...customData(played)];
}

/** Tokens are those that the service counted; labels of chunks are not joined. */
function chat(
	{ truth, scenario }: Played,
	{ stream = false }: ChatNode,
	{ json }: INodeExecutionData,
): string[] {
	const text = String(messageOf(json).content ?? json.text);
	const answers = truth.requests.filter(
		({ endpoint, accepted, rawPrompt }) =>
			endpoint === 'chat' && accepted && answerText(rawPrompt, scenario.service.answers) === text,
	);
	if (answers.length === 0) return [];
	const { usage } = json as { usage?: { total_tokens?: number } };
	const { provider } = messageOf(json);
	const counts = answers.map(({ tokens }) => tokens);
	// Of a usage that grows with each chunk, only the first is known to be wrong.
	const isRunning = answers.some(({ fault }) => fault === 'running-usage');
	const total = usage?.total_tokens;
	const isCounted = isRunning ? total !== FIRST_USAGE : counts.includes(total);
	const wrongUsage =
		total !== undefined && !isCounted
			? [`"${text}" has the usage ${total}; the service counted ${counts.join(', ')}`]
			: [];
	const wrongLabel =
		provider === undefined || provider === PROVIDER
			? []
			: [`"${text}" has the provider ${JSON.stringify(provider)}, not "${PROVIDER}"`];
	return [...wrongUsage, ...wrongLabel, ...wrongPieces(messageOf(json), text, stream)];
}

/** What comes in equal pieces is joined: one in each event of a stream, which all have the same number. */
function wrongPieces(message: object, text: string, isStream: boolean): string[] {
	const { reasoning, ...others } = message as Record<string, unknown>;
	if (reasoning === undefined) return [];
	const isOnce =
		!isStream && PIECES.every((name) => message[name as keyof typeof message] === PIECE);
	const count = String(reasoning).length / PIECE.length;
	const isJoined = PIECES.every(
		(name) => (name === 'reasoning' ? reasoning : others[name]) === PIECE.repeat(count),
	);
	const tokens = text.split(/\s+/).length;
	return isOnce || (isJoined && count >= tokens)
		? []
		: [`"${text}" has the pieces ${JSON.stringify(message)}`];
}

/** With Simplify off. */
export function messageOf(json: IDataObject): {
	content?: unknown;
	provider?: unknown;
	tool_calls?: unknown;
} {
	const { choices = [] } = json as { choices?: Array<{ index?: number; message?: object }> };
	return (choices.find(({ index }) => index === 0) ?? choices[0])?.message ?? {};
}

/** The whole file under its name, the fields that the service sent, and none of another video. */
function video(
	played: Played,
	{ node, input, row }: NodeRun,
	{ json, binary, pairedItem }: INodeExecutionData,
): string[] {
	const id = String(json.task_id);
	const task = played.truth.tasks.get(id);
	if (task === undefined || node.kind !== 'video') return [];
	const { simplify = true, fileName, download, operation } = node;
	const { url, b64_json: inline, trace } = json;
	const hasOtherUrl = typeof url === 'string' && !url.includes(encodeURIComponent(id));
	const isEmptyInline = inline === '';
	const isCompleted = String(json.status).toLowerCase().trim() === 'completed';
	const wasSeen = isCompleted || operation === 'submit';
	const lacksField = !simplify && wasSeen && task.plan.extraField && String(trace) !== EXTRA_FIELD;
	const found = [
		...(hasOtherUrl ? [`task ${id} has the URL ${url}`] : []),
		...(isEmptyInline ? [`task ${id} has an empty b64_json`] : []),
		...(lacksField
			? [`task ${id} has the field trace ${JSON.stringify(trace)}; the service sent ${EXTRA_FIELD}`]
			: []),
	];
	const file = binary?.data;
	const isDownloaded = Boolean(download) && operation !== 'submit' && row.status !== 'canceled';
	if (file === undefined)
		return isDownloaded && isCompleted ? [...found, `task ${id} has no file`] : found;
	if (!download) return [...found, `task ${id} has a file that nobody asked for`];
	const bytes = file.id
		? played.binaries.contentOf(file.id)
		: Buffer.from(String(file.data), 'base64');
	const isWhole = [false, true].some((isLarge) => bytes?.equals(videoOf(id, isLarge)));
	if (!isWhole) found.push(`task ${id} has a file of ${bytes?.length} bytes that is not its own`);
	const index = input[itemOf(pairedItem)]?.json.index;
	const stem = fileName ? `clip ${index}(-[2-4])?` : id.replace(/[^\w.-]/g, '_');
	const isNamed = new RegExp(`^${stem}\\.mp4$`).test(file.fileName ?? '');
	if ((!fileName || typeof index === 'number') && !isNamed)
		found.push(`task ${id} has the file "${file.fileName}" instead of "${stem}"`);
	return found;
}

/** The fields that a node may write, of those that an item has already. */
const WRITTEN = {
	chat: { simplified: ['tool_calls', 'usage', 'finish_reason'], whole: ['usage'] },
	video: { simplified: ['url', 'revised_prompt'], whole: ['url', 'revised_prompt', 'b64_json'] },
} as const;

/** With Include Input Fields the user's own fields stay, and those of our nodes are this answer's. */
function inputFields(run: NodeRun, { json, pairedItem }: INodeExecutionData): string[] {
	const { node, input } = run;
	if (node.kind !== 'chat' && node.kind !== 'video') return [];
	const given = input[itemOf(pairedItem)]?.json;
	if (given === undefined || Object.keys(json).length === 0) return [];
	const own = ['index', 'note'].filter((name) => given[name] !== undefined);
	if (!node.includeInputFields)
		return own.some((name) => name in json) ? ['an item has a field of its input'] : [];
	const written = WRITTEN[node.kind][node.simplify === false ? 'whole' : 'simplified'];
	const passed = written.filter(
		(name) =>
			given.note === LEFTOVERS.note &&
			JSON.stringify(json[name]) === JSON.stringify(LEFTOVERS[name]),
	);
	return [
		...(own.every((name) => json[name] === given[name])
			? []
			: ['an item lacks a field of its input']),
		...passed.map((name) => `${name} of the input passes for this answer's`),
	];
}

/** What arrived of an answer that failed. */
function partialText(
	{ truth, scenario, rows }: Played,
	{ node, input }: NodeRun,
	output: INodeExecutionData,
): string[] {
	const { partial_text: text } = (errorOf(output) ?? {}) as { partial_text?: unknown };
	const item = scenario.items[Number(input[itemOf(output.pairedItem)]?.json.index ?? NaN)];
	const prompt = node.kind === 'chat' && node.stream && item && promptFor(node, item);
	const sent = truth.requests.filter((each) => each.endpoint === 'chat' && each.prompt === prompt);
	const hasHalf = sent.every(
		({ fault = '', whole }) => whole && /^error-(text|event|finish)$/.test(fault),
	);
	if (rows.length === 1 && sent.length > 0 && hasHalf && text === undefined)
		return ['the text that arrived is not in the error'];
	const begin = opening(scenario);
	return typeof text !== 'string' || begin.startsWith(text) || text.startsWith(begin)
		? []
		: [`the partial text is "${text}"`];
}

/** The ids in the custom data of an execution are those of tasks. */
function customData(played: Played): string[] {
	const { rows, truth, kills, scenario } = played;
	const submitted = [...submittedBy(played).values()];
	return rows.flatMap((row) => {
		const { metadata = {} } = dataOf(row).resultData;
		const list = (metadata.video_task_ids ?? '').replace(/ ?\+\d+$/, '');
		const unknown = list.split(', ').filter((id) => id !== '' && !truth.tasks.has(id));
		const [, others = '0'] = /\+(\d+)$/.exec(metadata.video_task_ids ?? '') ?? [];
		const told = list === '' ? 0 : list.split(', ').length + Number(others);
		const made = submitted.filter((execution) => execution === row.id).length;
		const isWhole =
			row.status === 'success' &&
			row.retryOf === undefined &&
			kills.length === 0 &&
			scenario.shape !== 'agent';
		const isCounted = !isWhole || told === made;
		const wrongCount = isCounted
			? []
			: [`execution ${row.id}: the custom data count ${told} tasks; the log names ${made}`];
		// Control characters are escaped there.
		const strange = unknown
			.filter((id) => /^[\w-]+$/.test(id))
			.map((id) => `execution ${row.id}: the custom data name an unknown task ${id}`);
		return [...strange, ...wrongCount];
	});
}

/** The prompt of an item has no value: refused before anything is sent, if there is more than one. */
export function missingPrompts(played: Played): string[] {
	return nodeRuns(played).flatMap(({ node, input, row }) => {
		if ((node.kind !== 'chat' && node.kind !== 'video') || node.prompt !== 'missing') return [];
		if (node.kind === 'video' && /get|wait/.test(node.operation)) return [];
		if (input.length < 2 || node.executeOnce || row.id !== '1' || played.rows.length > 1) return [];
		const prompt = promptFor(node, { p: '' });
		const sent = played.truth.requests.filter((each) => each.prompt === prompt && each.accepted);
		return sent.length < 2
			? []
			: [`"${prompt}" is billed ${sent.length} times: its expression has no value in any item`];
	});
}
