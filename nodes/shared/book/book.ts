import type {
	EngineRequest,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { type ErrorRecord, OF_A_WAIT } from '../../../gateway';
import { afterEarlierTry, recordOf } from '../run/errorText';
import { runsAsTool } from '../run/runsAsTool';
import { type Fingerprints, fingerprintsOf, type RequestParameters } from './fingerprints';
import { type Book, type BookEntry, isBook, newBook, type PaidTask } from './schema';

/** The field of the node's context begins with it; the name of the run follows. */
const BOOK_FIELD = 'paidWork';

/** Failed calls of a tool whose paid work is kept until an agent repeats them. They may be large. */
const MAX_KEPT = 50;

/** The entries of calls that are under way: an agent may call a tool twice at the same moment. */
const inUse = new WeakSet<BookEntry>();

/**
 * What one run of a node paid for, and what its user knows of it: all that speaks of paid work is read from here. It is in
 * the node's context, which survives Retry On Fail and is stored with an execution that waits or fails, from which n8n's
 * Retry reloads it.
 *
 * n8n starts a new run for every call of a tool, even for a second try: there, paid work that was not returned belongs to all
 * runs, and each of several equal calls at once has its own entry.
 */
export class PaidBook {
	/** The entries that this run is about, by item. */
	readonly current = new Map<number, BookEntry>();
	/** The entries of earlier tries, by item. */
	private readonly earlier = new Map<number, BookEntry[]>();
	/** Whether n8n lost what an earlier run had written, or another version of this package wrote it. */
	readonly isGone: boolean;
	/** The tools of an MCP Server Trigger run in no execution. */
	readonly execution: string;
	private readonly isTool: boolean;
	private readonly field: string;
	private readonly fields: IDataObject;
	private readonly book: Book;
	private readonly fingerprints: (item: number, request: object) => Fingerprints;

	/** @param continues whether this run continues one that paused */
	constructor(
		private readonly context: IExecuteFunctions,
		parameters: RequestParameters,
		continues = false,
	) {
		this.isTool = runsAsTool(context.getNode());
		const run = Number(context.evaluateExpression?.('{{ $runIndex }}', 0));
		this.execution = (context.getExecutionId?.() as string | undefined) ?? '';
		this.field = `${BOOK_FIELD} of ${this.isTool ? 'all runs' : `run ${run}`}`;
		this.fields = contextOf(context, 'node');
		// No earlier run of a loop can be repeated.
		for (const name of Object.keys(this.fields))
			if (name.startsWith(BOOK_FIELD) && name !== this.field) delete this.fields[name];
		// What cannot be read stays, also for the next try.
		const stored: unknown = (this.fields[this.field] ??= continues ? 'lost' : { ...newBook() });
		const known = isBook(stored) ? stored : undefined;
		this.isGone = known === undefined;
		this.book = known ?? newBook();
		this.fingerprints = fingerprintsOf(context, parameters);
		if (!continues) this.book.entries = this.book.entries.filter(isKept);
		for (const entry of this.book.entries) {
			if (inUse.has(entry)) continue;
			this.earlier.set(entry.item, [...(this.earlier.get(entry.item) ?? []), entry]);
			if (!continues) startOver(entry);
			// An item whose request changed has neither field.
			else if (entry.outputOptions ?? entry.error) this.current.set(entry.item, entry);
		}
	}

	/** Every entry of this run, also those of earlier tries that its form no longer asks for. */
	get entries(): BookEntry[] {
		const earlier = [...this.earlier.values()].flat();
		return [...new Set([...earlier, ...this.current.values()])];
	}

	/** The entry of an item's request: that of an earlier try, or a new one. */
	entryOf(item: number, request: object): BookEntry {
		const wanted = this.fingerprints(item, request);
		const known = (this.earlier.get(item) ?? []).filter((entry) => !inUse.has(entry));
		const same =
			known.find(({ formHash }) => formHash !== undefined && formHash === wanted.formHash) ??
			known.find(({ requestHash }) => requestHash === wanted.requestHash);
		return same ? this.open(same) : this.add({ item, ...wanted, tasks: [] });
	}

	/** Adds the entry of an item. From now on what is written into it survives whatever happens. */
	add(entry: BookEntry): BookEntry {
		this.book.entries.push(entry);
		return this.open(entry);
	}

	private open(entry: BookEntry): BookEntry {
		if (this.isTool) inUse.add(entry);
		this.current.set(entry.item, entry);
		return entry;
	}

	/** Writes down that an item failed, with what an earlier try paid for it. The error of one of its tasks is in the book already. */
	fail(item: number, error: unknown): void {
		// Those of a tool may be of other calls.
		const [earlier] = this.isTool ? [] : (this.earlier.get(item) ?? []);
		const entry =
			this.current.get(item) ?? (earlier ? this.open(earlier) : this.add({ item, tasks: [] }));
		if (!errorIn(entry)) entry.error = afterEarlierTry(recordOf(error), entry.earlier);
	}

	hasFailed(item: number): boolean {
		return errorIn(this.current.get(item)) !== undefined;
	}

	/** The failure of what an earlier try may have been billed for. */
	get failureBefore(): ErrorRecord | undefined {
		return [...this.current.values()].find(({ earlier }) => earlier)?.earlier;
	}

	/** The tasks of all entries. */
	get tasks(): PaidTask[] {
		return this.entries.flatMap(({ tasks }) => tasks);
	}

	/**
	 * Whether the service may have accepted a submission that this execution does not repeat: its user was not told, or was
	 * told by this execution itself.
	 */
	isLost({ lost }: BookEntry): boolean {
		return lost !== undefined && (lost.toldIn ?? this.execution) === this.execution;
	}

	/** The items of such submissions. */
	get lostItems(): number[] {
		const lost = this.entries.filter((entry) => this.isLost(entry));
		return [...new Set(lost.map(({ item }) => item))];
	}

	/** To be called when an error lists what is lost: n8n's Retry, which is another execution, submits it again. */
	tellOfLost(): void {
		for (const entry of this.entries)
			if (this.isLost(entry)) entry.lost = { toldIn: this.execution };
	}

	/** The run is over: with these items, or (undefined) with an error that it throws. A pause is no end. */
	end(items: INodeExecutionData[] | EngineRequest | undefined): void {
		if (items && !Array.isArray(items)) return;
		const { isTool, book, current } = this;
		const failed = items?.findIndex(({ json }) => json.error !== undefined) ?? 0;
		// An agent repeats a call of its tool, with and without Retry On Fail.
		const mayRepeat = isTool ? failed >= 0 : this.context.getNode().retryOnFail && failed === 0;
		const isOver = items !== undefined && !mayRepeat;
		if (this.isGone && !isOver) return;
		const own = new Set(isTool ? current.values() : book.entries);
		for (const entry of own) {
			inUse.delete(entry);
			for (const task of entry.tasks) dropFile(task);
		}
		const kept = book.entries.filter((entry) => (isOver ? !own.has(entry) : isKept(entry)));
		book.entries = isTool ? kept.slice(-MAX_KEPT) : kept;
		if (!isTool && kept.length === 0) delete this.fields[this.field];
	}
}

/**
 * The tools of an MCP Server Trigger and of n8n's own Agents run without execution data, where n8n keeps no context:
 * there it lasts as long as the call.
 */
export function contextOf(
	context: Partial<Pick<IExecuteFunctions, 'getContext'>>,
	type: 'node' | 'flow',
): IDataObject {
	try {
		// The types of a sub-node's context do not show it.
		return context.getContext?.(type) ?? {};
	} catch {
		return {};
	}
}

/** Whether an entry is kept for a second try, also because of an answer that was lost or has no JSON: its error says so. */
function isKept(entry: BookEntry): boolean {
	const { tasks, lost, answer, earlier } = entry;
	const isPaid = tasks.some(isSubmittedHere) || answer !== undefined;
	return isPaid || lost !== undefined || earlier !== undefined || inUse.has(entry);
}

/** Keeps what is paid for, except failed tasks. Their items are made again in this try. */
function startOver(entry: BookEntry): void {
	for (const field of ['waitOptions', 'outputOptions', 'error'] as const) delete entry[field];
	for (const task of entry.tasks) {
		// Only the interface's own status counts: after another name for a failure, the task may still finish.
		const hasFailed = task.latest.status === 'failed' && !task.latest.said_status;
		if (hasFailed && task.error) entry.earlier = task.error;
		task.state = hasFailed ? 'due' : 'open';
		for (const field of [...OF_A_WAIT, 'error'] as const) delete task[field];
		dropFile(task);
	}
}

/** A second try downloads the file again: in the memory of n8n it may be large. A stored one that came with its submission stays. */
function dropFile(task: PaidTask): void {
	const { url } = task.submitted ?? task.latest;
	const isOnlyHere = isSubmittedHere(task) && !url && task.file?.id !== undefined;
	if (!isOnlyHere) delete task.file;
}

/** The first error of an item, or of its tasks. */
function errorIn(entry: BookEntry | undefined): ErrorRecord | undefined {
	return entry?.error ?? entry?.tasks.find(({ state, error }) => state !== 'due' && error)?.error;
}

/** Whether the node submitted the task itself: Get and Wait find theirs in the form. */
export function isSubmittedHere({ submittedAt }: PaidTask): boolean {
	return submittedAt !== undefined;
}

/** The tasks that an item has, without those that are to be submitted again. */
export function liveTasks({ tasks }: BookEntry): PaidTask[] {
	return tasks.filter(({ state }) => state !== 'due');
}
