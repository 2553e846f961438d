import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isFinished } from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { asHtml, hintAfterRun, type RunHints } from '../../shared/output/hints';
import { runsAsTool } from '../../shared/run/runsAsTool';
import { fieldOf } from '../../shared/form/parameterValues';
import { maxBillableRequestsOption } from '../../shared/form/sharedProperties';
import { MANY_VIDEOS } from '../form/request';
import { urlOf } from './log';

/** Links to videos in one hint. */
const MAX_LINKS = 4;

/**
 * Shows the hints about the items of a run.
 * @param hints those that were counted while the items were made
 * @param run its index
 */
export function showVideoHints(
	context: IExecuteFunctions,
	hints: RunHints,
	items: INodeExecutionData[],
	entries: BookEntry[],
	run: number,
): void {
	for (const { asked = 0, named = 0, tasks, waitOptions, outputOptions } of entries) {
		hints.note('missing: the service created fewer than were asked for.', asked - named);
		hints.note(
			'beyond what one submission asked for. Check your account: they may be billed.',
			named - asked,
		);
		const unfinished = tasks.filter(({ state, latest }) => state === 'done' && !isFinished(latest));
		const advice = waitOptions
			? 'not finished: Max Wait is over. To get it without paying again, add a second Video Generation node after this one, with the operation Wait: its Task ID fits already.'
			: 'not finished yet, so there is nothing to download. Wait, or Get later.';
		if (waitOptions ?? outputOptions?.binaryProperty) hints.note(advice, unfinished.length);
	}
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	// Older versions of n8n keep files in memory by default: such a file has no id.
	hints.note(
		'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem, or in queue mode to database or s3.',
		files.filter(({ id }) => id === undefined).length,
	);
	hints.show(context);
	const tasks = entries.flatMap(liveTasks);
	hintAboutWords(context, tasks);
	hintAboutDownload(context, tasks);
	const videos = entries.reduce((sum, { named = 0 }) => sum + named, 0);
	// Several videos have a price that is easily overlooked.
	if (videos > 1) {
		const { options } = context.getNode().parameters;
		const isLimited = fieldOf(options, maxBillableRequestsOption.name) !== undefined;
		const advice =
			videos < MANY_VIDEOS || isLimited ? '' : ' Max Billable Requests in Options limits how many.';
		hintAfterRun(context, `${videos} videos were submitted, and each is billed.${advice}`, 'info');
	}
	// Without File Name, a file is named after its task, and no two tasks have one ID.
	if (entries.some(({ outputOptions }) => outputOptions?.fileName))
		hintAboutNames(
			context,
			run,
			files.flatMap(({ fileName }) => fileName ?? []),
		);
}

/** Names statuses in other words than the interface's, and polls that were answered about another task. */
function hintAboutWords(context: IExecuteFunctions, tasks: PaidTask[]): void {
	const words = new Map<string, string>();
	const ids: string[] = [];
	for (const { id, status, sent_as } of tasks.map(({ latest }) => latest)) {
		if (sent_as?.status !== undefined) words.set(sent_as.status, status);
		if (sent_as?.id !== undefined) ids.push(`${asHtml(id)} (${asHtml(sent_as.id)})`);
	}
	for (const [word, status] of words)
		hintAfterRun(context, `The service's status "${asHtml(word)}" was read as ${status}`, 'info');
	if (ids.length > 0)
		hintAfterRun(
			context,
			`The service answered polls with other task IDs, here in brackets: ${ids.join(', ')}. Check whether these are the right videos.`,
		);
}

/** A second run with Download on would be billed again, and another operation in this node would lose its fields. */
function hintAboutDownload(context: IExecuteFunctions, tasks: PaidTask[]): void {
	const isGenerated = context.getNodeParameter('operation', 0, 'generate') === 'generate';
	// Get and Wait were asked for a URL; inline data is lost without Download.
	const without = tasks.filter(
		({ state, latest: { status, url }, file }) =>
			state === 'done' && status === 'completed' && !file && (isGenerated || !url),
	);
	if (without.length === 0) return;
	const these = without.length === 1 ? '1 video is' : `${without.length} videos are`;
	const place = runsAsTool(context.getNode())
		? 'the agent, with the operation Get, Download on and this task_id.'
		: 'this one, with the operation Get and Download on: its Task ID fits already.';
	const advice = isGenerated
		? `To get the file without paying again, add a second Video Generation node after ${place}${linksTo(without)}`
		: 'If the service sends inline data instead of a URL, turn on Download to keep it.';
	hintAfterRun(context, `${these} not downloaded. ${advice}`, 'info');
}

/** One click plays a video in another tab. */
function linksTo(tasks: PaidTask[]): string {
	const playable = tasks.flatMap(({ latest }) => urlOf(latest) ?? []);
	const links = playable.slice(0, MAX_LINKS).map((url, index) => {
		const video = playable.length === 1 ? 'the video' : `video ${index + 1}`;
		return `<a href="${asHtml(url)}" target="_blank">Play ${video}</a>`;
	});
	return links.length === 0 ? '' : ` ${links.join(' · ')}`;
}

/**
 * Nodes that write files or attach them to one message put one in the place of another, also one of another round of a loop,
 * where $itemIndex is always 0.
 */
function hintAboutNames(context: IExecuteFunctions, run: number, names: string[]): void {
	const seen = new Set<string>();
	const repeated = names.find((name) => seen.size === seen.add(name).size);
	const { fileName } = context.getNode().parameters;
	const isFixed = !String(fileName).startsWith('=');
	const name = repeated ?? (run > 0 && isFixed ? names[0] : undefined);
	if (name === undefined) return;
	const counter = repeated === undefined ? '$runIndex' : '$itemIndex';
	hintAfterRun(
		context,
		`Several videos have the file name ${asHtml(name)}: where they are saved, one may overwrite the other. Add {{ ${counter} }} to File Name.`,
	);
}
