import type { INodeExecutionData } from 'n8n-workflow';
import type { Played } from '../play/played';
import { dataOf } from '../play/rows';
import { promptFor } from '../scenario/workflow';
import { videoOf } from '../service/service';
import { answerText } from '../service/settings';
import { errorOf, isErrorItem, itemOf, type NodeRun, nodeRuns, submittedBy } from './evidence';

/** An item has the file of its own video and the fields of its own input, and an error the text that arrived. */
export function contents(played: Played): string[] {
	const ofRuns = nodeRuns(played).flatMap((run) =>
		run.outputs.flat().flatMap((output) => {
			const found = isErrorItem(output)
				? partialText(played, output)
				: [...video(played, run, output), ...inputFields(run, output)];
			return found.map((how) => `execution ${run.row.id}, ${run.node.name}: ${how}`);
		}),
	);
	return [...ofRuns, ...customData(played)];
}

/** The whole file under its name, and nothing of another video. */
function video(
	played: Played,
	{ node, input, row }: NodeRun,
	{ json, binary, pairedItem }: INodeExecutionData,
): string[] {
	const id = String(json.task_id);
	if (!played.truth.tasks.has(id) || node.kind !== 'video') return [];
	const { fileName, download, operation } = node;
	const { url } = json;
	const hasOtherUrl = typeof url === 'string' && !url.includes(encodeURIComponent(id));
	const found = hasOtherUrl ? [`task ${id} has the URL ${url}`] : [];
	const file = binary?.data;
	const isDownloaded = Boolean(download) && operation !== 'submit' && row.status !== 'canceled';
	if (file === undefined)
		return isDownloaded && json.status === 'completed'
			? [...found, `task ${id} has no file`]
			: found;
	if (!download) return [...found, `task ${id} has a file that nobody asked for`];
	const bytes = file.id
		? played.binaries.contentOf(file.id)
		: Buffer.from(String(file.data), 'base64');
	const isWhole = [false, true].some((isLarge) => bytes?.equals(videoOf(id, isLarge)));
	if (!isWhole) found.push(`task ${id} has a file of ${bytes?.length} bytes that is not its own`);
	const index = input[itemOf(pairedItem)]?.json.index;
	// The name of a file has another character for each that a file system may refuse.
	const stem = fileName ? `clip ${index}(-[2-4])?` : id.replace(/[^\w.-]/g, '[^\\p{Cc}/]');
	const isNamed = new RegExp(`^${stem}\\.mp4$`, 'u').test(file.fileName ?? '');
	if ((!fileName || typeof index === 'number') && !isNamed)
		found.push(`task ${id} has the file "${file.fileName}" instead of "${stem}"`);
	return found;
}

/** With Include Input Fields the user's own field stays; without, it does not. */
function inputFields({ node, input }: NodeRun, { json, pairedItem }: INodeExecutionData): string[] {
	if (node.kind !== 'chat' && node.kind !== 'video') return [];
	const given = input[itemOf(pairedItem)]?.json.index;
	if (given === undefined || Object.keys(json).length === 0) return [];
	const expected = node.includeInputFields ? given : undefined;
	return json.index === expected
		? []
		: [`the field index of an item is ${String(json.index)}, not ${String(expected)}`];
}

/** What arrived of an answer that failed. */
function partialText({ scenario }: Played, output: INodeExecutionData): string[] {
	const { partial_text: text } = (errorOf(output) ?? {}) as { partial_text?: unknown };
	const [opening = ''] = answerText('@', scenario.service).split('@');
	return typeof text !== 'string' || opening.startsWith(text) || text.startsWith(opening)
		? []
		: [`the partial text is "${text}"`];
}

/** The custom data for ids, each of which may have no room for another one. */
const KEYS = ['', '_2', '_3', '_4'].map((number) => `video_task_ids${number}`);
/** Characters of the last one beside which another id may not fit. */
const ROOM = 200;

/** The ids in the custom data of an execution are those of tasks: all of them, as long as there is room. */
function customData(played: Played): string[] {
	const { rows, truth, kills, scenario } = played;
	const submitted = [...submittedBy(played).values()];
	return rows.flatMap((row) => {
		const { metadata = {} } = dataOf(row).resultData;
		const ids = KEYS.flatMap((key) => metadata[key]?.split(', ') ?? []);
		// Control characters are escaped there.
		const unknown = ids.filter(
			(id) => /^[\w-]+$/.test(id) && !truth.tasks.has(id) && !truth.withoutTaskIds.has(id),
		);
		const made = submitted.filter((execution) => execution === row.id).length;
		const isWhole = row.status === 'success' && row.retryOf === undefined && kills.length === 0;
		const isFull = (metadata[KEYS.at(-1) ?? '']?.length ?? 0) > ROOM;
		const areNamed = isFull || !isWhole || scenario.shape === 'agent' || ids.length === made;
		return [
			...unknown.map((id) => `execution ${row.id}: the custom data name an unknown task ${id}`),
			...(areNamed
				? []
				: [`execution ${row.id}: the custom data name ${ids.length} tasks; the log names ${made}`]),
		];
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
