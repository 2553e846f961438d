import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isFinished } from '../../../gateway';
import { contextOf, liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { asHtml, hintAfterRun, type RunHints } from '../../shared/output/hints';
import { runsAsTool } from '../../shared/run/runsAsTool';
import { itemsNamed } from '../../shared/form/itemsNamed';
import { fieldOf } from '../../shared/form/parameterValues';
import { maxBillableRequestsOption } from '../../shared/form/sharedProperties';
import { MANY_VIDEOS } from '../form/request';
import { urlOf } from './log';

/** Links to videos in one hint. */
const MAX_LINKS = 4;
/** Different statuses of a run, and URLs or IDs in one hint. */
const MAX_LISTED = 20;

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
			? 'not finished: Max Wait is over. To get it without paying again, add a second Video Generation node after this one, with the operation Wait. Leave its Task ID as it is.'
			: 'not finished yet, so there is nothing to download. Wait, or Get later.';
		if (waitOptions ?? outputOptions?.binaryProperty) hints.note(advice, unfinished.length);
	}
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	// n8n keeps files in memory only if it is told to: such a file has no id.
	hints.note(
		'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem, or in queue mode to database or s3.',
		files.filter(({ id }) => id === undefined).length,
	);
	hints.show(context);
	hintAboutWords(context, entries);
	hintAboutOthers(context, entries.flatMap(liveTasks));
	hintAboutDownload(context, entries);
	hintAboutBill(context, entries);
	// Without File Name, a file is named after its task, and no two tasks have one ID.
	if (entries.some(({ outputOptions }) => outputOptions?.fileName))
		hintAboutNames(
			context,
			run,
			files.flatMap(({ fileName }) => fileName ?? []),
		);
}

/** What a run costs, where it is easily overlooked: several videos, or an order whose response was lost. */
function hintAboutBill(context: IExecuteFunctions, entries: BookEntry[]): void {
	const videos = entries.reduce((sum, { named = 0 }) => sum + named, 0);
	const lost = entries.filter((entry) => entry.lost).map(({ item }) => item);
	if (videos + lost.length < 2) return;
	const { options } = context.getNode().parameters;
	const isLimited = fieldOf(options, maxBillableRequestsOption.name) !== undefined;
	const sentences = [
		videos === 1
			? '1 video was submitted, and is billed.'
			: `${videos} videos were submitted, and each is billed.`,
		lost.length > 0 &&
			`${lost.length} more ${lost.length === 1 ? 'submission' : 'submissions'} may have been accepted (${itemsNamed(lost)}).`,
		videos >= MANY_VIDEOS && !isLimited && 'Max Billable Requests in Options limits how many.',
	];
	hintAfterRun(context, sentences.filter(Boolean).join(' '), 'info');
}

/** Names statuses in other words than the interface's, and polls that were answered about another task. */
function hintAboutWords(context: IExecuteFunctions, entries: BookEntry[]): void {
	const words = new Map<string, string>();
	const ids: string[] = [];
	for (const entry of entries)
		for (const { latest } of liveTasks(entry)) {
			const { id, status, sent_as, said_status } = latest;
			const word = said_status?.word ?? status;
			const other = sent_as?.id;
			if (word !== status && words.size < MAX_LISTED) words.set(word, status);
			if (other !== undefined) ids.push(`${asHtml(id)} of item ${entry.item} (${asHtml(other)})`);
		}
	for (const [word, status] of words)
		hintAfterRun(context, `The service's status "${asHtml(word)}" was read as ${status}`, 'info');
	const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : '';
	if (ids.length > 0)
		hintAfterRun(
			context,
			`The service answered polls with other task IDs, here in brackets: ${ids.slice(0, MAX_LISTED).join(', ')}${more}. Check whether these are the right videos.`,
		);
}

/** A task is one item, which has the first of its videos. The others are paid for, too. */
function hintAboutOthers(context: IExecuteFunctions, tasks: PaidTask[]): void {
	const others = tasks.flatMap(({ state, latest }) => (state === 'done' && latest.others) || []);
	if (others.length === 0) return;
	const more = others.length === 1 ? '1 more video' : `${others.length} more videos`;
	const urls = others.slice(0, MAX_LISTED).map(asHtml).join(' ');
	hintAfterRun(
		context,
		`The service made ${more} with these tasks, and each item has the first one. The others: ${urls}`,
	);
}

/** A second run with Download on would be billed again, and another operation in this node would lose its fields. */
function hintAboutDownload(context: IExecuteFunctions, entries: BookEntry[]): void {
	const isGenerated = context.getNodeParameter('operation', 0, 'generate') === 'generate';
	// Get and Wait were asked for a URL; inline data is lost without Download.
	const isWithout = ({ state, latest: { status, url }, file }: PaidTask) =>
		state === 'done' && status === 'completed' && !file && (isGenerated || !url);
	const count = entries.flatMap(liveTasks).filter(isWithout).length;
	if (count === 0) return;
	const these = count === 1 ? '1 video is' : `${count} videos are`;
	const place = runsAsTool(context.getNode())
		? 'the agent, with the operation Get, Download on and this task_id.'
		: 'this one, with the operation Get and Download on. Leave its Task ID as it is.';
	const advice = isGenerated
		? `To get the file without paying again, add a second Video Generation node after ${place}${linksTo(entries, isWithout)}`
		: 'To look for its URL again, execute this node again, which costs nothing. If the service sends inline data instead of a URL, turn on Download to keep it.';
	hintAfterRun(context, `${these} not downloaded. ${advice}`, 'info');
}

/** One click plays a video in another tab. A link names the item, as errors do. */
function linksTo(entries: BookEntry[], isWithout: (task: PaidTask) => boolean): string {
	const playable = entries.flatMap((entry) => {
		const tasks = liveTasks(entry);
		return tasks.flatMap((task, index) => {
			const url = isWithout(task) ? urlOf(task.latest) : null;
			const number = tasks.length === 1 ? '' : `, video ${index + 1}`;
			return url === null ? [] : { url, name: `item ${entry.item}${number}` };
		});
	});
	const links = playable.slice(0, MAX_LINKS).map(({ name, url }) => {
		const video = playable.length === 1 ? 'the video' : name;
		return `<a href="${asHtml(url)}" target="_blank">Play ${video}</a>`;
	});
	return links.length === 0 ? '' : ` ${links.join(' · ')}`;
}

/** The field of the node's context that has the names of its files in this execution, each with the index of its run. */
const FILE_NAMES = 'fileNames';

/** Names that are kept with the execution: a loop repeats one soon, or never. */
const MAX_NAMES = 1_000;

/**
 * Nodes that write files or attach them to one message put one in the place of another, also one of another round of a loop,
 * where $itemIndex is always 0.
 */
function hintAboutNames(context: IExecuteFunctions, run: number, names: string[]): void {
	const node = contextOf(context, 'node');
	const known = (node[FILE_NAMES] ?? []) as Array<[name: string, run: number]>;
	const ofOtherRuns = known.filter(([, index]) => index !== run);
	const others = new Set(ofOtherRuns.map(([name]) => name));
	node[FILE_NAMES] = [...ofOtherRuns, ...names.map((name) => [name, run])].slice(-MAX_NAMES);
	const seen = new Set<string>();
	const inThisRun = names.find((name) => seen.size === seen.add(name).size);
	const inOtherRun = names.find((name) => others.has(name));
	const counters = [
		inThisRun !== undefined && '{{ $itemIndex }}',
		inOtherRun !== undefined && '{{ $runIndex }}',
	].filter(Boolean);
	if (counters.length === 0) return;
	hintAfterRun(
		context,
		`Several videos have the file name ${asHtml(inThisRun ?? inOtherRun ?? '')}: where they are saved, one may overwrite the other. Add ${counters.join(' and ')} to File Name.`,
	);
}
