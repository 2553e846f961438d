import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { type BookEntry, isFinished, MAX_TASKS, type PaidTask } from '../../gateway';
import { liveTasks, type PaidBook } from '../shared/book/book';
import { RunHints } from '../shared/form/hints';
import { withInputFields } from '../shared/form/outputItem';
import { outcomeOfResults, outputOf, type Settled } from '../shared/run/eachItem';
import { ReportedError, TaskError } from '../shared/run/errorText';
import { fullTask, simplifiedTask, videoItemFields } from './item';

type Result = Settled<INodeExecutionData>;

/** The items of a run, read from the book, and the hints about them. */
export class VideoOutput {
	private readonly hints = new RunHints('video');

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly book: PaidBook,
	) {}

	/**
	 * The output of the node.
	 * @param cause why the node cannot go on: the error of each task of which nothing came yet, and of each item without one
	 */
	items(cause?: unknown): INodeExecutionData[] {
		const { context, book } = this;
		const entries = cause === undefined ? [...book.current.values()] : book.entries;
		const results = new Map<number, Result[]>();
		for (const entry of entries)
			results.set(entry.item, (results.get(entry.item) ?? []).concat(this.resultsOf(entry, cause)));
		const outcomes = context.getInputData().map((_, item) => {
			const own = results.get(item) ?? [];
			if (own.length > 0) return outcomeOfResults(context, own, item);
			return cause === undefined ? undefined : { error: cause };
		});
		const items = outputOf(context, outcomes);
		this.show(items, entries);
		return items;
	}

	/** What came of the tasks of an item, and why it has no others. */
	private resultsOf(entry: BookEntry, cause?: unknown): Result[] {
		const results = liveTasks(entry).flatMap((task): Result[] => {
			if (task.error !== undefined) return [{ error: new ReportedError(task.error) }];
			if (task.isSettled) return [{ result: this.itemOf(entry, task) }];
			return cause === undefined ? [] : [{ error: new TaskError(task, cause) }];
		});
		if (entry.error !== undefined) results.push({ error: new ReportedError(entry.error) });
		return results;
	}

	/** The item of a task. The fields of its input item are added here and kept nowhere. */
	itemOf({ item, wait, output }: BookEntry, task: PaidTask): INodeExecutionData {
		const { simplify = true, includeInputFields, binaryProperty } = output ?? {};
		const own = simplify ? simplifiedTask(task) : fullTask(task);
		// Only a task that was just submitted, and is not waited for, has little more than its request.
		if (!simplify && !wait && task.request) own.request = task.request as IDataObject;
		const json = includeInputFields
			? withInputFields(this.context, item, own, videoItemFields, this.hints)
			: own;
		const made: INodeExecutionData = { json, pairedItem: { item } };
		if (task.file && binaryProperty) made.binary = { [binaryProperty]: task.file };
		return made;
	}

	/** Shows the hints about the items of the run. */
	private show(items: INodeExecutionData[], entries: BookEntry[]): void {
		const { hints } = this;
		for (const { asked = 0, named = 0, tasks, wait, output } of entries) {
			hints.note('missing: the service created fewer than were asked for.', asked - named);
			hints.note(
				'beyond what one submission asked for. Check your account: they may be billed.',
				named - asked,
			);
			const beyond = named - tasks.length;
			hints.note(`not waited for: one submission created more than ${MAX_TASKS}.`, beyond);
			const isOver = ({ isSettled, error, entry }: PaidTask) =>
				isSettled && !error && !isFinished(entry);
			const advice = wait
				? 'not finished: Max Wait is over. The operations Wait and Get take the task_id.'
				: 'not finished yet, so there is nothing to download. Wait, or Get later.';
			if (wait ?? output?.binaryProperty) hints.note(advice, tasks.filter(isOver).length);
		}
		const files = items.flatMap(({ binary = {} }) => Object.values(binary));
		// Older versions of n8n keep files in memory by default: such a file has no id.
		hints.note(
			'held in the memory of n8n, which large videos can fill. Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem, or in queue mode to database or s3.',
			files.filter(({ id }) => id === undefined).length,
		);
		hints.show(this.context);
	}
}
