import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import { GatewayError, idText, isFinished, type NodeCode } from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import { notedTaskIds } from '../../shared/book/customData';
import type { BookEntry } from '../../shared/book/schema';
import type { ItemWork } from '../../shared/run/runItems';
import { type Operation, type Plan, planOf } from '../operations';
import { APART, listOfIds, stoppedRunPaid, toGetWithoutPaying } from './advice';
import { itemsOf } from './output';
import { openEntry, type VideoRun } from './plan';
import { forgetStopped, tellOfStopped } from './stoppedRuns';
import { openTasks, settleTask } from './settle';
import { submitMissing } from './submit';
import { settleAll } from './wait';

/**
 * What an operation does with the items of a run: it submits what they ask for, or finds their tasks, waits until all are
 * settled, and makes items of them. While a video is waited for, the next item is started. Where the wait is in n8n's database,
 * this run ends with the request of a pause, and the run that follows continues with what the book has. A finished video is
 * downloaded by the run that sees it finished, since its URL may expire.
 */
export function workOf(
	run: VideoRun,
	operation: Operation,
): ItemWork<Plan, Opened, INodeExecutionData[] | EngineRequest> {
	const { book, context, spending } = run;
	if (operation.submits) {
		if (book.isGone) throw lostState(notedTaskIds(context));
		// A second try, or a run after a pause, continues its videos.
		const stopped = book.entries.length === 0 ? tellOfStopped(context) : [];
		if (stopped.length > 0) throw paidBefore(stopped);
	}
	return {
		isBegun: book.current.size > 0,
		outcomes: book,
		read: (item) => planOf(operation, run.form, item),
		prepare: (plan, item) => ({ entry: openEntry(run, plan, item), video: plan.video }),
		refusal: () => spending.refusal(book.failureBefore),
		async work({ entry, video }) {
			const submitting = video ? submitMissing(run, video, entry) : undefined;
			// What is paid for is waited for, although the submission of the rest failed.
			await submitting?.catch((error: unknown) => {
				if (liveTasks(entry).length === 0) throw error;
				book.fail(entry.item, error);
			});
			// What is submitted and not waited for is done.
			if (video && !entry.waitOptions) for (const task of liveTasks(entry)) task.state = 'done';
			const settling: Array<Promise<void>> = [];
			for (const task of openTasks(entry)) settling.push(settleTask(run, entry, task));
			if (entry.waitOptions) return { pending: Promise.all(settling) };
			await Promise.all(settling);
		},
		async output() {
			const pause = await settleAll(run);
			if (pause) return pause;
			// Those that nobody has to wait for any more.
			const ended = book.tasks.flatMap(({ state, latest }) =>
				state === 'unknown' || isFinished(latest) ? latest.id : [],
			);
			forgetStopped(context, ended);
			return itemsOf(run);
		},
	};
}

/** The entry of an item, and what it asks for. */
interface Opened {
	entry: BookEntry;
	video: Plan['video'];
}

/** Once for each Stop: a hint after new videos are paid for would come too late. */
function paidBefore(ids: string[]): GatewayError {
	const how = toGetWithoutPaying({ operation: 'Wait', count: ids.length, after: APART });
	const advice = `${how}. To make new videos, execute again. ${listOfIds(ids.map(idText))}`;
	const message = stoppedRunPaid(ids.length);
	return new GatewayError({ message, advice, code: 'node_error' satisfies NodeCode });
}

/** Without its book, a run might submit videos again. */
function lostState(ids: string[]): GatewayError {
	const how = toGetWithoutPaying({ operation: 'Wait', count: ids.length });
	const list = ids.length > 0 ? ` ${listOfIds(ids)}` : '';
	const advice = `Nothing was submitted again. n8n lost the state, or another version of this package stored it. ${how}.${list}`;
	const message = 'The state of this wait is lost';
	return new GatewayError({ message, advice, code: 'node_error' satisfies NodeCode });
}
