import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isFinished } from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import { asHtml, hintAboutEach, hintAfterRun } from '../../shared/output/hints';
import { runsAsTool } from '../../shared/run/runsAsTool';
import { itemsNamed } from '../../shared/form/itemsNamed';
import { fieldOf } from '../../shared/form/parameterValues';
import { maxBillableRequestsOption } from '../../shared/form/sharedProperties';
import { MANY_VIDEOS } from '../form/request';
import { listOfIds, toGetWithoutPaying } from './advice';
import { aboutStopped, urlOf } from './log';
import type { BookedRun } from './plan';

const AFTER_THIS_NODE = { after: ' after this one', taskId: 'its Task ID as it is' };

/** Links to videos in one hint. */
const MAX_LINKS = 4;
/** URLs or IDs in one hint. */
const MAX_LISTED_VIDEOS = 20;

/** Shows the hints about the items of a run. */
export function showVideoHints(
	run: BookedRun,
	states: string[],
	items: INodeExecutionData[],
	entries: BookEntry[],
): void {
	const { context, submits } = run;
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	hintAboutEach(context, 'video', [
		...states,
		...entries.flatMap(({ asked = 0, named = 0 }) => [
			...repeated(asked - named, 'missing: the service created fewer than were asked for.'),
			...repeated(
				named - asked,
				'beyond what one submission asked for. Check your account: they may be billed.',
			),
		]),
		...unfinished(entries),
		// n8n keeps files in memory only if it is told to: such a file has no id.
		...repeated(
			files.filter(({ id }) => id === undefined).length,
			'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem, or in queue mode to database or s3.',
		),
	]);
	hintAboutOtherIds(context, entries);
	hintAboutOthers(context, entries.flatMap(liveTasks));
	hintAboutDownload(context, entries, submits);
	hintAboutBill(context, entries);
	// Without File Name, a file is named after its task, and no two tasks have one ID.
	if (entries.some(({ outputOptions }) => outputOptions?.fileName))
		hintAboutNames(
			context,
			files.flatMap(({ fileName }) => fileName ?? []),
		);
	const stopped = items.some(({ json }) => json.error !== undefined) && aboutStopped(run);
	if (stopped) hintAfterRun(context, stopped);
}

function repeated(count: number, state: string): string[] {
	return Array.from({ length: count }, () => state);
}

function unfinished(entries: BookEntry[]): string[] {
	const { length: count } = entries
		.flatMap(({ tasks }) => tasks)
		.filter(({ state, latest }) => state === 'done' && !isFinished(latest));
	const how = toGetWithoutPaying({ operation: 'Wait', count, ...AFTER_THIS_NODE });
	if (entries.some(({ waitOptions }) => waitOptions))
		return repeated(count, `not finished: Max Wait is over. ${how}.`);
	const isDownloaded = entries.some(({ outputOptions }) => outputOptions?.binaryProperty);
	const nothing = 'not finished yet, so there is nothing to download. Wait, or Get later.';
	return isDownloaded ? repeated(count, nothing) : [];
}

/** What a run costs, where it is easily overlooked: several videos, or an order whose response was lost. */
function hintAboutBill(context: IExecuteFunctions, entries: BookEntry[]): void {
	const videos = entries.reduce((sum, { named = 0 }) => sum + named, 0);
	const lost = entries.filter((entry) => entry.lost).map(({ item }) => item);
	if (videos + lost.length < 2) return;
	const { options } = context.getNode().parameters;
	const isLimited = fieldOf(options, maxBillableRequestsOption.name) !== undefined;
	const submissions = lost.length === 1 ? 'submission' : 'submissions';
	const sentences = [
		videos === 1
			? '1 video was submitted, and is billed.'
			: `${videos} videos were submitted, and each is billed.`,
		lost.length > 0 &&
			`${lost.length} more ${submissions} may have been accepted (${itemsNamed(lost)}).`,
		videos >= MANY_VIDEOS && !isLimited && 'Max Billable Requests in Options limits how many.',
	];
	hintAfterRun(context, sentences.filter(Boolean).join(' '), 'info');
}

/** Names polls that were answered about another task. */
function hintAboutOtherIds(context: IExecuteFunctions, entries: BookEntry[]): void {
	const tasks = entries.flatMap((entry) =>
		liveTasks(entry).flatMap(({ latest: { id, sent_as } }) =>
			sent_as?.id === undefined ? [] : { id, item: entry.item, other: sent_as.id },
		),
	);
	if (tasks.length === 0) return;
	const listed = tasks.slice(0, MAX_LISTED_VIDEOS);
	const pairs = listed.map(({ id, item, other }) => `${id} of item ${item} (${other})`).join(', ');
	const more =
		tasks.length > MAX_LISTED_VIDEOS ? ` and ${tasks.length - MAX_LISTED_VIDEOS} more` : '';
	const ids = listOfIds(listed.map(({ id }) => id));
	hintAfterRun(
		context,
		`The service answered polls with other task IDs, here in brackets: ${pairs}${more}. Check whether these are the right videos. ${ids}`,
	);
}

/** A task is one item, which has the first of its videos. The others are paid for, too. */
function hintAboutOthers(context: IExecuteFunctions, tasks: PaidTask[]): void {
	const others = tasks.flatMap(({ state, latest }) => (state === 'done' && latest.others) || []);
	if (others.length === 0) return;
	const more = others.length === 1 ? '1 more video' : `${others.length} more videos`;
	const urls = others.slice(0, MAX_LISTED_VIDEOS).join(' ');
	hintAfterRun(
		context,
		`The service made ${more} with these tasks, and each item has the first one. The others: ${urls}`,
	);
}

/** A second run with Download on would be billed again, and another operation in this node would lose its fields. */
function hintAboutDownload(context: IExecuteFunctions, entries: BookEntry[], submits: boolean) {
	// Get and Wait were asked for a URL; inline data is lost without Download.
	const isWithout = ({ state, latest: { status, url }, file }: PaidTask) =>
		state === 'done' && status === 'completed' && !file && (submits || !url);
	const videos = entries.flatMap((entry) =>
		liveTasks(entry).flatMap((task, index, { length }) => {
			const number = length === 1 ? '' : `, video ${index + 1}`;
			const name = `item ${entry.item}${number}`;
			return isWithout(task) ? { name, url: urlOf(task.latest) } : [];
		}),
	);
	const count = videos.length;
	if (count === 0) return;
	const these = count === 1 ? '1 video is' : `${count} videos are`;
	const place = runsAsTool(context.getNode())
		? { after: ' after the agent', taskId: 'this task_id' }
		: AFTER_THIS_NODE;
	const advice = submits
		? `${toGetWithoutPaying({ operation: 'Get, Download on', count, ...place })}.`
		: 'To look for its URL again, execute this node again, which costs nothing. If the service sends inline data instead of a URL, turn on Download to keep it.';
	hintAfterRun(context, `${these} not downloaded. ${advice}`, 'info', linksTo(videos));
}

/** One click plays a video in another tab. A link names the item, as errors do. */
function linksTo(videos: Array<{ name: string; url: string | null }>): string {
	const playable = videos.flatMap(({ name, url }) => (url === null ? [] : { name, url }));
	const links = playable.slice(0, MAX_LINKS).map(({ name, url }) => {
		const video = playable.length === 1 ? 'the video' : name;
		return ` <a href="${asHtml(url)}" target="_blank">Play ${video}</a>`;
	});
	return links.join(' ·');
}

/** Nodes that write files or attach them to one message put one in the place of another. */
function hintAboutNames(context: IExecuteFunctions, names: string[]): void {
	const seen = new Set<string>();
	const twice = names.find((name) => seen.size === seen.add(name).size);
	if (twice === undefined) return;
	hintAfterRun(
		context,
		`Several videos have the file name ${twice}: where they are saved, one may overwrite the other. Add {{ $itemIndex }} to File Name.`,
	);
}
