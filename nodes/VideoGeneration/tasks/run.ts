import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import { GatewayError, idText, isFinished, type NodeCode } from '../../../gateway';
import { errorIn, liveTasks, type PaidBook } from '../../shared/book/book';
import { refusalOf } from '../../shared/book/paidRun';
import type { BookEntry } from '../../shared/book/schema';
import { afterEarlierTry, recordOf } from '../../shared/run/errorText';
import type { Outcome } from '../../shared/run/outcomes';
import type { ItemWork } from '../../shared/run/runItems';
import { APART, listOfIds, stoppedRunPaid, toGetWithoutPaying } from './advice';
import type { TaskLog } from './log';
import { findsTasks, type Operation, type Plan } from './operation';
import { openEntry, type VideoRun } from './plan';
import { forgetStopped, tellOfStopped } from './stoppedRuns';
import { submitMissing } from './submit';
import { Wait } from './wait';

/**
 * What an operation does with the items of a run: it submits what they ask for, or finds their tasks, waits until all are
 * settled, and makes items of them. While a video is waited for, the next item is started. Where the wait is in n8n's database,
 * this run ends with the request of a pause, and the run that follows continues with what the book has. A finished video is
 * downloaded by the run that sees it finished, since its URL may expire.
 */
export function workOf(
	run: VideoRun,
	operation: Operation,
): ItemWork<Plan, Opened, object, INodeExecutionData[] | EngineRequest> {
	const { book, service, output } = run;
	const { form } = service;
	if (!findsTasks(operation)) {
		if (book.isGone) throw lostState(run.log);
		const stopped = isNew(run) ? tellOfStopped(service.context) : [];
		if (stopped.length > 0) throw paidBefore(stopped);
	}
	const wait = new Wait(run);
	return {
		isBegun: book.current.size > 0,
		read: (item) => operation.plan(form, item, form.collection('options', item)),
		prepare: (plan, item) => ({ entry: openEntry(run, plan, item), video: plan.video }),
		refusal: () => refusalOf(run),
		async work({ entry, video }) {
			if (video) await submitMissing(run, video, entry).catch((error) => keepPaid(entry, error));
			// What is submitted and not waited for is done.
			if (video && !entry.waitOptions) for (const task of liveTasks(entry)) task.state = 'done';
			const settling = wait.settle(entry).then(() => entryUnlessFailed(entry));
			return entry.waitOptions ? { pending: settling } : await settling;
		},
		async output(outcomes) {
			noteErrors(book, outcomes);
			const pause = await wait.forRest();
			if (pause) return pause;
			forgetStopped(service.context, endedIds(book));
			return output.items();
		},
	};
}

/** The entry of an item, and what it asks for. */
interface Opened {
	entry: BookEntry;
	video: Plan['video'];
}

/** What is paid for is waited for, although the submission of the rest failed. */
function keepPaid(entry: BookEntry, error: unknown): void {
	if (liveTasks(entry).length === 0) throw error;
	entry.error = afterEarlierTry(recordOf(error), entry.earlier);
}

/** @throws GatewayError if the item failed: with On Error "Stop Workflow" no further item starts then */
function entryUnlessFailed(entry: BookEntry): BookEntry {
	const error = errorIn(entry);
	if (error !== undefined) throw new GatewayError(error);
	return entry;
}

/** Whether nothing of what the run asks for has been submitted: a second try, or a run after a pause, continues its videos. */
function isNew({ book }: VideoRun): boolean {
	return book.entries.length === 0;
}

/** Once for each Stop: a hint after new videos are paid for would come too late. */
function paidBefore(ids: string[]): GatewayError {
	const how = toGetWithoutPaying({ operation: 'Wait', count: ids.length, after: APART });
	const advice = `${how}. To make new videos, execute again. ${listOfIds(ids.map(idText))}`;
	const code: NodeCode = 'node_error';
	return new GatewayError({ message: stoppedRunPaid(ids.length), advice, code });
}

/** The tasks that nobody has to wait for any more. */
function endedIds(book: PaidBook): string[] {
	const ended = book.tasks.filter(({ state, latest }) => state === 'unknown' || isFinished(latest));
	return ended.map(({ latest }) => latest.id);
}

/** Without its book, a run might submit videos again. */
function lostState({ noted: ids }: TaskLog): GatewayError {
	const how = toGetWithoutPaying({ operation: 'Wait', count: ids.length });
	const list = ids.length > 0 && ` ${listOfIds(ids)}`;
	const advice = `Nothing was submitted again. n8n lost the state, or another version of this package stored it. ${how}.${list || ''}`;
	const code: NodeCode = 'node_error';
	return new GatewayError({ message: 'The state of this wait is lost', advice, code });
}

/** Writes the errors of items into the book. */
function noteErrors(book: PaidBook, outcomes: Array<Outcome<object>>): void {
	for (const [item, outcome] of outcomes.entries()) {
		if (!outcome || 'result' in outcome) continue;
		const entry = book.current.get(item) ?? book.add({ item, tasks: [] });
		// That of a task is in the book already.
		if (errorIn(entry)) continue;
		entry.error = afterEarlierTry(recordOf(outcome.error), entry.earlier);
	}
}
