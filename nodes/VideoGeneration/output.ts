import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isFinished } from '../../gateway';
import { liveTasks, type PaidBook } from '../shared/book/book';
import type { BookEntry, PaidTask } from '../shared/book/schema';
import { asHtml, hintAfterRun, RunHints, runsAsTool, showHints } from '../shared/form/hints';
import { type OutputFields, present, withInputFields } from '../shared/form/outputItem';
import { fieldOf } from '../shared/form/parameterValues';
import { maxBillableRequestsOption } from '../shared/form/sharedProperties';
import { type ErrorOf, outputOf, type Settled } from '../shared/run/eachItem';
import { type ErrorReport, reportError, ReportedError } from '../shared/run/errorText';
import { stateOf, urlOf } from './taskLog';
import { MANY_VIDEOS } from './videoRequest';

/** The fields of a task, simplified. */
export const taskFields = {
	status: 'string',
	url: 'string',
	task_id: 'string',
	progress: 'integer',
	duration: 'number',
	size: 'string',
	fps: 'integer',
	format: 'string',
	created_at: 'integer',
	completed_at: 'integer',
	revised_prompt: 'string',
} satisfies OutputFields;

const { revised_prompt, ...shortFields } = taskFields;

/** With the fields of the submission, where it is known. */
export const generatedFields = {
	...shortFields,
	model: 'string',
	request_id: 'string',
	revised_prompt,
} satisfies OutputFields;

/** Every field of an item that is not simplified. */
const FULL_FIELDS = [
	...['id', 'object', 'status', 'progress', 'url', 'b64_json', 'revised_prompt', 'metadata'],
	...['created_at', 'completed_at', 'task_id', 'task_error', 'request'],
];

/**
 * The fields of a task for the next node, without those that the service did not send: first what a user looks for, last what
 * is long, which in n8n's table pushes the rest out of sight. Times are the service's seconds, as in n8n's nodes for Stripe
 * and Slack: an expression makes a date of them.
 */
function simplifiedTask({ latest, submitted, request = {} }: PaidTask): IDataObject {
	const { status, progress, url, metadata, created_at, completed_at } = latest;
	const { duration, size, fps, format } = metadata ?? {};
	return present({
		status,
		url: url ?? null,
		task_id: latest.id,
		progress,
		duration,
		size,
		fps,
		format,
		created_at: created_at ?? request.created,
		completed_at,
		model: request.model,
		request_id: request.id,
		revised_prompt: latest.revised_prompt ?? submitted?.revised_prompt,
	} satisfies Record<keyof typeof generatedFields, unknown>);
}

/** The task as the service defines it, plus `task_id`. An `error` belongs to error items alone. */
function fullTask({ latest, submitted }: PaidTask): IDataObject {
	const { id, sent_as, status } = latest;
	const whole = {
		...submitted,
		...present(latest),
		status: sent_as?.status ?? status,
		task_id: id,
	};
	const { error, ...fields } = whole as IDataObject;
	for (const own of ['sent_as', 'used']) delete fields[own];
	return error ? { ...fields, task_error: error } : fields;
}

type Result = Settled<INodeExecutionData>;

/** Links to videos in one hint. */
const MAX_LINKS = 4;

/** The items of a run, read from the book, and the hints about them. */
export class VideoOutput {
	private readonly hints = new RunHints('video');

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly book: PaidBook,
	) {}

	/**
	 * The output of the node.
	 * @param causeOf why the node cannot go on: the error of each open task, and of each item without a task
	 */
	items(causeOf?: ErrorOf): INodeExecutionData[] {
		const { context, book } = this;
		const entries = causeOf === undefined ? [...book.current.values()] : book.entries;
		const results = new Map<number, Result[]>();
		for (const entry of entries)
			results.set(entry.item, [
				...(results.get(entry.item) ?? []),
				...this.resultsOf(entry, causeOf),
			]);
		const withoutTask = (item: number) => (causeOf ? [{ error: causeOf(item) }] : []);
		const inputs = context.getInputData();
		const items = outputOf(
			context,
			inputs.map((_, item) => results.get(item) ?? withoutTask(item)),
		);
		showHints(() => this.show(items, entries));
		return items;
	}

	/** What came of the tasks of an item, and the error of the item itself. */
	private resultsOf(entry: BookEntry, causeOf?: ErrorOf): Result[] {
		const results = liveTasks(entry).flatMap((task): Result[] => {
			if (task.error !== undefined) return [{ error: failedTask(entry, task, task.error) }];
			const fail = (error: unknown) => [
				{ error: new ReportedError(reportError(error, stateOf(task))) },
			];
			if (task.state !== 'done') return causeOf ? fail(causeOf(entry.item)) : [];
			try {
				return [{ result: this.itemOf(entry, task) }];
			} catch (error) {
				return fail(error);
			}
		});
		if (entry.error !== undefined) results.push({ error: new ReportedError(entry.error) });
		return results;
	}

	/** The item of a task. The fields of its input item are added here and kept nowhere. */
	itemOf({ item, waitOptions, outputOptions }: BookEntry, task: PaidTask): INodeExecutionData {
		const { simplify = true, includeInputFields, binaryProperty } = outputOptions ?? {};
		const own = simplify ? simplifiedTask(task) : fullTask(task);
		// A task that was just submitted, and is not waited for, has little more than its request.
		if (!simplify && !waitOptions && task.request) own.request = task.request as IDataObject;
		// Every field that an item of a video may have belongs to the node, also where this item lacks it.
		const names = simplify ? Object.keys(generatedFields) : FULL_FIELDS;
		const json = includeInputFields
			? withInputFields(this.context, item, own, names, this.hints)
			: own;
		const made: INodeExecutionData = { json, pairedItem: { item } };
		if (task.file && binaryProperty) made.binary = { [binaryProperty]: task.file };
		return made;
	}

	/** Shows the hints about the items of the run. */
	private show(items: INodeExecutionData[], entries: BookEntry[]): void {
		const { context, hints } = this;
		for (const { asked = 0, named = 0, tasks, waitOptions, outputOptions } of entries) {
			hints.note('missing: the service created fewer than were asked for.', asked - named);
			hints.note(
				'beyond what one submission asked for. Check your account: they may be billed.',
				named - asked,
			);
			const unfinished = tasks.filter(
				({ state, latest }) => state === 'done' && !isFinished(latest),
			);
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
				videos < MANY_VIDEOS || isLimited
					? ''
					: ' Max Billable Requests in Options limits how many.';
			hintAfterRun(
				context,
				`${videos} videos were submitted, and each is billed.${advice}`,
				'info',
			);
		}
		// Without File Name, a file is named after its task, and no two tasks have one ID.
		if (entries.some(({ outputOptions }) => outputOptions?.fileName))
			hintAboutNames(
				context,
				this.book.run,
				files.flatMap(({ fileName }) => fileName ?? []),
			);
	}
}

/** With Simplify off, an error item has what the service said of the task, as it was sent. */
function failedTask({ outputOptions }: BookEntry, { latest }: PaidTask, report: ErrorReport) {
	if (outputOptions?.simplify !== false || latest.error == null) return new ReportedError(report);
	return new ReportedError({ ...report, failure: { ...report.failure, task_error: latest.error } });
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
