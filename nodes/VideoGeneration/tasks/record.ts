import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { tasksInWaitState, type WallTime } from '../../../gateway';
import type { TaskState } from '../../shared/run/errorText';
import { paidWork } from '../../shared/ledger/requestLedger';

/** The name of the record in the node's context. */
export const RECORD = 'submissions';

/** The paid work of one item. Executions are stored with it. */
export interface Submitted extends IDataObject {
	tasks: RecordedTask[];
	/** How many of its tasks failed: a second try submits that many again, and no more. */
	failed: number;
	/** The execution in which the response to a submission was lost. */
	lostIn?: string;
	/** The execution that refused to submit it again, and said that its Retry will. */
	refusedIn?: string;
}

export interface RecordedTask extends IDataObject {
	id: string;
	request: IDataObject;
	submittedAt: WallTime;
	/** The prompt that the service made of the user's. */
	revised_prompt?: string;
	/** Its last known status and URL, once it is finished. */
	status?: string;
	url?: string;
}

/** What is known of the paid work of one item. */
export interface PaidItem {
	tasks: TaskState[];
	/** The service may have accepted a submission whose response was lost. */
	isLost: boolean;
}

/** Whether a submission may have been accepted, and its second try is not what the user asked for after a refusal. */
export function isLost({ lostIn, refusedIn }: Submitted, execution: string): boolean {
	return lostIn !== undefined && (refusedIn ?? execution) === execution;
}

/**
 * The paid work of a run, by item: what the record of this execution has, and what the state of a wait in n8n's database
 * has. It needs neither a connection nor a state of this version.
 * @param state what n8n stored of the wait, if anything
 */
export function paidItems(context: IExecuteFunctions, state: unknown): PaidItem[] {
	const stored = tasksInWaitState(state) ?? [];
	const items = context.getInputData().map((_, itemIndex): PaidItem => {
		const tasks = (stored[itemIndex] ?? []).map(({ id, status, url }) => ({
			task_id: id,
			status,
			url,
		}));
		return { tasks, isLost: false };
	});
	const execution = context.getExecutionId();
	for (const { itemIndex, work } of paidWork<Submitted>(context, RECORD)) {
		const item = items[itemIndex];
		if (item === undefined) continue;
		item.isLost ||= isLost(work, execution);
		for (const { id, status, url } of work.tasks) {
			const known = item.tasks.find(({ task_id }) => task_id === id);
			if (known === undefined)
				item.tasks.push({ task_id: id, status: status ?? 'processing', url });
			else if (status !== undefined) Object.assign(known, { status, url });
		}
	}
	return items;
}
