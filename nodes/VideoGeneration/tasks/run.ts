import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import { GatewayError, type NodeCode } from '../../../gateway';
import { errorIn, liveTasks } from '../../shared/book/book';
import type { BookEntry } from '../../shared/book/schema';
import { outcomesOf } from '../../shared/run/eachItem';
import { afterEarlierTry, recordOf } from '../../shared/run/errorText';
import type { BillableVideo } from '../form/request';
import { taskIdProperty } from '../form/taskId';
import { anotherNode } from './advice';
import type { TaskLog } from './log';
import { openEntry, type Operation, type VideoRun } from './plan';
import { submitMissing } from './submit';
import { Wait } from './wait';

/**
 * Does an operation for all items, waits until all their tasks are settled, and makes items of them. Where the wait is in n8n's
 * database, this run ends with the request of a pause, and the run that follows continues with what the book has. A finished
 * video is downloaded by the run that sees it finished, since its URL may expire.
 */
export async function runOperation(
	run: VideoRun,
	operation: Operation,
): Promise<INodeExecutionData[] | EngineRequest> {
	// Get and Wait find their tasks in the form.
	if (run.book.isGone && !operation.properties.includes(taskIdProperty)) throw lostState(run.log);
	const wait = new Wait(run);
	if (run.book.current.size === 0) await begin(run, operation, wait);
	return (await wait.forRest()) ?? run.output.items();
}

/** Without its book, a run might submit videos again. */
function lostState({ noted }: TaskLog): GatewayError {
	const tasks = noted && ` Tasks of this execution: ${noted}`;
	const advice = `Nothing was submitted again. n8n lost the state, or another version of this package stored it. To get the videos, ${anotherNode('Wait', 'their task IDs')}.${tasks}`;
	const code: NodeCode = 'node_error';
	return new GatewayError({ message: 'The state of this wait is lost', advice, code });
}

/** Submits what the items ask for, or finds their tasks. While a video is waited for, the next item is started. */
async function begin(run: VideoRun, operation: Operation, wait: Wait): Promise<void> {
	const { book, service, spending } = run;
	const { form } = service;
	const outcomes = await outcomesOf(service, {
		read: (item) => operation.plan(form, item, form.collection('options', item)),
		prepare: (plan, item) => ({ entry: openEntry(run, plan, item), video: plan.video }),
		refusal: () => spending.refusal(),
		work: async ({ entry, video }): Promise<object> => {
			if (video) await submit(run, video, entry);
			const settling = wait.forItem(entry);
			return entry.waitOptions ? { pending: settling } : await settling;
		},
	});
	for (const [item, outcome] of outcomes.entries()) {
		if (!outcome || 'result' in outcome) continue;
		const entry = book.current.get(item) ?? book.add({ item, tasks: [] });
		// That of a task is in the book already.
		if (errorIn(entry)) continue;
		entry.error = afterEarlierTry(recordOf(outcome.error), entry.earlier);
	}
}

async function submit(run: VideoRun, video: BillableVideo, entry: BookEntry): Promise<void> {
	await submitMissing(run, video, entry).catch((error: unknown) => {
		if (liveTasks(entry).length === 0) throw error;
		// What is paid for is waited for all the same.
		entry.error = afterEarlierTry(recordOf(error), entry.earlier);
	});
	// What is submitted and not waited for is done.
	if (!entry.waitOptions) for (const task of liveTasks(entry)) task.state = 'done';
}
