import type { TaskOutcome } from '../../video/taskPlan';
import type { Effect } from '../fault';

function task(ending: TaskOutcome['ending'], report?: TaskOutcome['report']): Effect {
	return { kind: 'task', outcome: { ending, ...(report ? { report } : {}) } };
}

export const ending = (name: TaskOutcome['ending']): Effect => task(name);

/** Completes in time, but polls do not find the task at first. */
export const notFoundYet: Effect = {
	kind: 'task',
	outcome: { ending: 'completed', lags: true },
};

/** A failed task with this `error`; without an argument, the field is absent. */
export function failed(...error: unknown[]): Effect {
	return task('failed', (body) => (error.length > 0 ? { ...body, error: error[0] } : body));
}

export const failedEchoingKey = task('failed', (body, authorization) => ({
	...body,
	error: { code: 'upstream_refused', message: `No such key: ${authorization}` },
}));

/** Changes these fields once the task is completed; undefined leaves a field out. */
export function completedWith(changes: Record<string, unknown>): Effect {
	return task('completed', (body) =>
		body['status'] === 'completed' ? { ...body, ...changes } : body,
	);
}

/** Changes these fields in every poll; undefined leaves a field out. */
export function alwaysWith(changes: Record<string, unknown>): Effect {
	return task('completed', (body) => ({ ...body, ...changes }));
}
