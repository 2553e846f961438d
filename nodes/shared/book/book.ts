import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
	type Book,
	BOOK_VERSION,
	type BookEntry,
	type PaidTask,
	parseBook,
	taskIdsOfRun,
} from '../../../gateway';
import { type EntryKeys, keysOf, type RequestParameters } from './entryKeys';

/** The fields of the node's context: of the book, and of what a version before it stored. */
const FIELD = 'paidWork';
const FIELD_BEFORE = 'submissions';

/**
 * Runs of a node whose paid work is kept. Only the last one can be repeated; a run that needs no repetition is forgotten
 * at once, so only a loop that fails again and again leaves this many. They may be large.
 */
const MAX_RUNS = 10;

/** The books that this process has read or made. */
const opened = new WeakSet<object>();

/**
 * What one run of a node paid for, and what its user knows of it: all that speaks of paid work is read from here. It is in
 * the node's context, which survives Retry On Fail and is stored with an execution that waits or fails, from which n8n's
 * Retry reloads it.
 */
export class PaidBook {
	/** Every entry of this run, also those of earlier tries that its form no longer asks for, and where it is stored. */
	private readonly keyOf = new Map<BookEntry, string>();
	/** Those of them that it is about. */
	private readonly own = new Set<BookEntry>();
	/** Whether another version of this package stored it: nothing of it but ids is known, and nothing may be submitted. */
	readonly isForeign: boolean;
	/** Whether an earlier try paid for something. */
	readonly hasEarlierWork: boolean;
	/** A fingerprint of the Base URL; undefined until the node is connected. */
	address: string | undefined;
	private readonly runs: Book['runs'];
	private readonly keys: EntryKeys;

	/** @param continues whether this run continues one that paused */
	constructor(
		private readonly context: IExecuteFunctions,
		parameters: RequestParameters,
		continues = false,
	) {
		const { runs, foreign } = openBook(contextOf(context, 'node'));
		this.runs = runs;
		this.keys = keysOf(context, parameters, runs);
		for (const [key, entry] of this.keys.earlier) {
			this.keyOf.set(entry, key);
			if (!continues) startOver(entry);
			else if (!entry.isOld) this.own.add(entry);
		}
		this.hasEarlierWork = this.entries.some(isPaid);
		const named = Object.entries(taskIdsOfRun(foreign, this.keys.run));
		this.isForeign = named.length > 0;
		for (const [key, ids] of named)
			this.keyOf.set({ item: Number.parseInt(key, 10), tasks: ids.map(unknownTask) }, key);
	}

	/** The tools of an MCP Server Trigger run in no execution. */
	get execution(): string {
		return (this.context.getExecutionId?.() as string | undefined) ?? '';
	}

	get entries(): BookEntry[] {
		return [...this.keyOf.keys()];
	}

	/** The entries that this run is about, by item. */
	get current(): Map<number, BookEntry> {
		return new Map([...this.own].map((entry) => [entry.item, entry]));
	}

	/** The entry of an item's request: that of an earlier try, or a new one. */
	entryOf(item: number, request: object): BookEntry {
		const key = this.keys.keyOf(item, request);
		const entry = this.keys.entries[key] ?? { item, tasks: [] };
		const isTold = isToldBefore(entry, this.execution);
		for (const task of liveTasks(entry)) {
			// The rest is what the service at another address said.
			delete task.isUnknown;
			if (isTold && task.unknownAt === this.address) task.isUnknown = task.isAside = true;
		}
		return this.take(entry, key);
	}

	/** Adds what is not paid for: it is stored with a pause alone. */
	add(entry: BookEntry): BookEntry {
		const key = String(entry.item);
		const before = this.keys.entries[key];
		if (before !== undefined) this.keyOf.delete(before);
		return this.take(entry, key);
	}

	private take(entry: BookEntry, key: string): BookEntry {
		this.own.add(entry);
		this.keyOf.set(entry, key);
		return entry;
	}

	/** The service at this address knows a task. */
	found(task: PaidTask): void {
		task.address = this.address;
		delete task.unknownAt;
	}

	/** Stores an entry: from now on it survives whatever happens. */
	keep(entry: BookEntry): void {
		const key = this.keyOf.get(entry);
		if (key === undefined) return;
		const { run, entries } = this.keys;
		entries[key] = entry;
		this.runs[run] = entries;
		for (const old of Object.keys(this.runs).slice(0, -MAX_RUNS)) delete this.runs[old];
	}

	/** Stores all that a run needs that follows a pause. */
	keepAll(): void {
		const shared = new Map<string, NonNullable<BookEntry['settings']>>();
		for (const entry of this.keyOf.keys()) {
			this.keep(entry);
			if (this.own.has(entry)) delete entry.isOld;
			else entry.isOld = true;
			if (entry.settings === undefined) continue;
			// n8n stores an object that several entries share once.
			const text = JSON.stringify(entry.settings);
			shared.set(text, (entry.settings = shared.get(text) ?? entry.settings));
		}
	}

	/** The run is over: with these items, or (undefined) with an error that it throws. */
	end(items: INodeExecutionData[] | undefined): void {
		const { keys } = this;
		const failed = items?.findIndex(({ json }) => json.error !== undefined);
		const isOver = failed !== undefined && !keys.mayRepeat(failed);
		for (const [entry, key] of this.keyOf) {
			if (!keys.isOwn(key)) continue;
			// A second try downloads them again: in the memory of n8n they may be large.
			for (const task of entry.tasks) delete task.file;
			const isLeft = isOver || !isPaid(entry);
			if (isLeft && keys.entries[key] === entry) delete keys.entries[key];
		}
		keys.release();
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

/** @returns the runs, and those that another version stored */
function openBook(context: IDataObject): { runs: Book['runs']; foreign: unknown } {
	const stored: unknown = context[FIELD];
	const isOpen = typeof stored === 'object' && stored !== null && opened.has(stored);
	const book = isOpen ? (stored as Book) : parseBook(stored);
	const made = book ?? { version: BOOK_VERSION, runs: {} };
	if (book === undefined && typeof stored === 'object' && stored !== null && 'runs' in stored)
		context[FIELD_BEFORE] = stored.runs as IDataObject;
	opened.add(made);
	context[FIELD] = made;
	return { runs: made.runs, foreign: context[FIELD_BEFORE] };
}

function isPaid({ tasks, lostIn, answer, earlier }: BookEntry): boolean {
	const isOurs = tasks.some(({ submittedAt }) => submittedAt !== undefined);
	return isOurs || lostIn !== undefined || answer !== undefined || earlier !== undefined;
}

/** What is paid for is kept; what came of it in the try before is made again, except a task that failed. */
function startOver(entry: BookEntry): void {
	delete entry.error;
	// None was submitted for it, and the service at another address may know it.
	for (const task of entry.tasks) delete task.isAside;
	for (const task of liveTasks(entry)) {
		for (const field of ['deadline', 'foreignAnswers', 'file', 'isSettled'] as const)
			delete task[field];
		const hasFailed = task.entry.status === 'failed';
		if (task.error && (hasFailed || task.isUnknown)) entry.earlier = task.error;
		if (hasFailed) replace(entry, task);
		delete task.error;
	}
}

/** Another one is to be submitted for a task. */
function replace(entry: BookEntry, task: PaidTask): void {
	task.isReplaced = true;
	entry.failed = (entry.failed ?? 0) + 1;
}

/** A task of which only the id is known. */
export function unknownTask(id: string): PaidTask {
	return { entry: { id, status: 'unknown' } };
}

/** The tasks that an item has, without those that others replace. */
export function liveTasks({ tasks }: BookEntry): PaidTask[] {
	return tasks.filter(({ isReplaced, isAside }) => !isReplaced && !isAside);
}

/** Whether the service may have accepted a submission, and the user was not told yet that the next Retry sends it again. */
export function isLost(entry: BookEntry, execution: string): boolean {
	return entry.lostIn !== undefined && !isToldBefore(entry, execution);
}

/** Whether the service at this address does not know a task that was submitted, or found, at another one. */
export function isUnknownHere({ isUnknown, address }: PaidTask, here: string | undefined): boolean {
	return isUnknown === true && address !== undefined && here !== undefined && address !== here;
}

/** What an execution tells counts for another one: its Retry. */
function isToldBefore({ toldIn }: BookEntry, execution: string): boolean {
	return toldIn !== undefined && toldIn !== execution;
}
