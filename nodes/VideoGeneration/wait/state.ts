import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
	type ErrorReport,
	later,
	latest,
	type WaitedTask,
	type WaitState,
	type WallTime,
} from '../../../gateway';
import { type Outcome, outcomeOfResults, outputOf, type Settled } from '../../shared/run/eachItem';
import { reportError, ReportedError } from '../../shared/run/errorText';
import { outputOfVideo } from '../output/outputOptions';
import type { Started, StartedTask, WaitPlan } from './waitingOperation';

/**
 * What n8n keeps of a wait from one of its legs to the next. Items of the same settings share one plan.
 * @param startedAt when the first leg began: a task of an earlier try is waited for from then on
 */
export function stateOf(
	outcomes: Array<Outcome<{ plan: WaitPlan; started: Started }>>,
	startedAt: WallTime,
): WaitState {
	const places = new Map<string, number>();
	const plans: WaitState['plans'] = [];
	const placeOf = ({ wait, output }: WaitPlan) => {
		const key = JSON.stringify([wait, output]);
		const place = places.get(key) ?? plans.push({ wait, output: { ...output } }) - 1;
		places.set(key, place);
		return place;
	};
	const items = outcomes.map((outcome): WaitState['items'][number] => {
		if (outcome === undefined) return null;
		if ('error' in outcome) return { tasks: [], error: reportError(outcome.error) };
		const { plan, started } = outcome.result;
		const place = placeOf(plan);
		const tasks = started.tasks.map(({ task, request, submittedAt }): WaitedTask => {
			const { id, status } = task;
			const deadline = later(latest([submittedAt ?? startedAt, startedAt]), plan.wait.maxWaitMs);
			return { id, plan: place, status, deadline, submittedAt, request: named(request) };
		});
		const { failure } = started;
		return { tasks, error: failure === undefined ? undefined : reportError(failure) };
	});
	return { plans, items, hints: [] };
}

/** The fields of a request that its output items contain. */
function named(request: StartedTask['request']) {
	return request && { id: request.id, model: request.model };
}

/** A task of which nothing came yet. */
export interface OpenTask {
	task: WaitedTask;
	plan: WaitPlan;
	itemIndex: number;
}

export function openTasks({ items, plans }: WaitState): OpenTask[] {
	return items.flatMap((item, itemIndex) =>
		(item?.tasks ?? []).flatMap((task, index) => {
			const plan = plans[task.plan];
			const isOpen = task.item === undefined && task.error === undefined;
			if (!isOpen || plan === undefined) return [];
			const output = outputOfVideo(plan.output, index);
			return [{ task, plan: { ...plan, output }, itemIndex }];
		}),
	);
}

/** The output of the node when nothing is open any more. */
export function finalOutput(context: IExecuteFunctions, { items }: WaitState) {
	const outcomes = items.map((item, itemIndex) => {
		if (item === null) return undefined;
		const results = [...item.tasks, { error: item.error }].flatMap(
			(stored) => resultOf(stored) ?? [],
		);
		return outcomeOfResults(context, results, itemIndex);
	});
	return outputOf(context, outcomes);
}

/** What came of a task so far, or why an item has no tasks; undefined: nothing. */
export function resultOf(
	stored: { item?: object | undefined; error?: ErrorReport | undefined } = {},
): Settled<INodeExecutionData> | undefined {
	if (stored.error !== undefined) return { error: new ReportedError(stored.error) };
	return isItem(stored.item) ? { result: stored.item } : undefined;
}

/** The items in a state are those that this node made. */
export function isItem(value: object | undefined): value is INodeExecutionData {
	return value !== undefined && 'json' in value;
}
