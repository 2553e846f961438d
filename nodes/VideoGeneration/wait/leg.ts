import type { EngineRequest, INodeExecutionData } from 'n8n-workflow';
import {
	formatSeconds,
	isFinished,
	isForeignAnswer,
	msBetween,
	storedWaitState,
	systemClock,
	type WaitedTask,
	type WaitState,
	WaitTimeoutError,
} from '../../../gateway';
import type { DurableWait } from './durableWait';
import { throwIfCancelled } from '../../shared/run/eachItem';
import { reportError, TaskError } from '../../shared/run/errorText';
import { hintAfterRun } from '../../shared/form/hints';
import { endOfPause, MIN_WAIT_MS } from './nextPoll';
import type { VideoRun } from '../videoRun';
import { type ItemPlace, PostponedDownload, StateRoom } from '../output/stateRoom';
import { finish, type WaitingOperation, type WaitPlan } from './waitingOperation';
import { finalOutput, isItem, type OpenTask, openTasks } from './state';

/** From the start or a resume of the node to its next pause or to its end. */
export class WaitLeg {
	private readonly startedAt = systemClock.wallTime();
	private readonly waitsInMemory: boolean;

	constructor(
		private readonly durable: DurableWait,
		private readonly run: VideoRun,
		private readonly operation: Pick<WaitingOperation<WaitPlan>, 'taskEnded'>,
	) {
		this.waitsInMemory = durable.refusal() !== undefined;
	}

	/** @returns the items when all tasks are done, else the request of a pause */
	async continue(state: WaitState): Promise<INodeExecutionData[] | EngineRequest> {
		const { run } = this;
		const { context } = run.service;
		run.hints.continueWith(state.hints);
		for (const item of state.items)
			item?.tasks.forEach((task) => run.log.note({ ...task, url: urlIn(task.item) }));
		const kept = state.items.flatMap((item) => (item?.tasks ?? []).map((task) => task.item));
		const room = new StateRoom(kept.filter(isItem));
		for (let open = openTasks(state); open.length > 0; open = openTasks(state)) {
			const unfinished = open.filter(({ task }) => !isFinished(task));
			const isLast = unfinished.length === 0;
			const next = isLast ? open : unfinished;
			const isOnly = isLast || open.length === 1 || this.waitsInMemory;
			const place = () => (isOnly ? undefined : room.place());
			await Promise.all(next.map(async (task) => await this.advance(task, isLast, place())));
			throwIfCancelled(context);
			const waiting = openTasks(state).filter(({ task }) => !isFinished(task));
			if (waiting.length > 0 && waiting.every(({ task }) => this.canPause(task))) {
				return this.pause(state, waiting);
			}
		}
		const isLong = ({ wait }: WaitState['plans'][number]) => wait.maxWaitMs >= MIN_WAIT_MS;
		if (state.plans.length > 0 && !state.plans.some(isLong)) {
			hintAfterRun(context, 'Waited in memory: Max Wait is less than 70 seconds');
		}
		return finalOutput(context, state);
	}

	/**
	 * Polls a task once, or waits in memory for one that is not to be waited for much longer.
	 * @param place where its item goes if the wait may pause again
	 */
	private async advance(
		{ task, plan, itemIndex }: OpenTask,
		isLast: boolean,
		place: ItemPlace | undefined,
	): Promise<void> {
		const pauses = this.canPause(task) && !isLast;
		if (pauses && this.isFresh(task)) return;
		const { id, submittedAt, request } = task;
		const { onTimeout } = plan.wait;
		const wait = {
			...plan.wait,
			deadline: task.deadline,
			pollsOnce: pauses,
			wasFound: task.found ?? isFinished(task),
			foreignAnswers: task.malformed,
			onTimeout: pauses ? ('error' as const) : onTimeout,
		};
		const started = { task: { id, status: 'processing' as const }, submittedAt, request };
		try {
			const waited = { ...plan, wait };
			const item = await finish(this.run, this.operation, started, waited, itemIndex, place);
			if (place?.keep(item) ?? true) task.item = item;
			this.note(task);
		} catch (error) {
			place?.free();
			this.note(task);
			if (isPostponed(error)) return;
			const unfinished = pauses ? timeoutIn(error) : undefined;
			if (unfinished === undefined) task.error = reportError(error);
			else this.noteUnfinished(task, unfinished);
		}
	}

	private note(task: WaitedTask): void {
		task.status = this.run.log.stateOf(task.id).status;
	}

	private noteUnfinished(task: WaitedTask, { task: seen, lastFailure }: WaitTimeoutError): void {
		const { progress } = seen;
		task.progress = progress;
		if (typeof progress === 'number') task.seen ??= { at: systemClock.wallTime(), progress };
		const isForeign = lastFailure !== undefined && isForeignAnswer(lastFailure);
		task.malformed = isForeign ? (task.malformed ?? 0) + 1 : undefined;
		// A task of this execution need not be found to be known.
		if (lastFailure === undefined && task.submittedAt === undefined) task.found = true;
	}

	private pause(state: WaitState, waiting: OpenTask[]): EngineRequest {
		const all = state.items.flatMap((item) => item?.tasks ?? []);
		return this.durable.pause(endOfPause(systemClock.wallTime(), waiting), {
			state: storedWaitState({ ...state, hints: this.run.hints.noted }),
			shown: all.map(({ id, status, progress }) => ({
				task_id: id,
				status,
				...(typeof progress === 'number' && { progress }),
			})),
			hint: this.hintOfTimeout(waiting),
			tasks: state.items.map((item) => (item?.tasks ?? []).map(({ id }) => id)),
		});
	}

	private hintOfTimeout(waiting: OpenTask[]): string | undefined {
		const { executionTimeout = 0 } = this.run.service.context.getWorkflowSettings();
		const longest = Math.max(...waiting.map(({ plan }) => plan.wait.maxWaitMs));
		if (executionTimeout <= 0 || executionTimeout * 1000 >= longest) return undefined;
		return `Timeout Workflow is shorter than Max Wait: unless it runs in queue mode, n8n stops this workflow after ${formatSeconds(executionTimeout * 1000)}. Increase it in the workflow's settings.`;
	}

	private canPause({ deadline }: WaitedTask): boolean {
		const left = msBetween(systemClock.wallTime(), deadline);
		return !this.waitsInMemory && left >= MIN_WAIT_MS;
	}

	/** Submitted in this leg: its first poll comes after the pause. */
	private isFresh({ submittedAt }: WaitedTask): boolean {
		return submittedAt !== undefined && msBetween(this.startedAt, submittedAt) >= 0;
	}
}

/** Its task is polled again, for a fresh URL, when all others are finished. */
function isPostponed(error: unknown): boolean {
	return error instanceof TaskError && error.cause instanceof PostponedDownload;
}

function timeoutIn(error: unknown): WaitTimeoutError | undefined {
	const cause = error instanceof TaskError ? error.cause : undefined;
	return cause instanceof WaitTimeoutError ? cause : undefined;
}

/** The URL that the item of a finished task has. */
function urlIn(item: object | undefined): string | undefined {
	if (!isItem(item)) return undefined;
	const { url } = item.json;
	return typeof url === 'string' ? url : undefined;
}
