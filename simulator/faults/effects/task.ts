import type { Effect, TaskOutcome } from '../fault';

function task(ending: TaskOutcome['ending'], report?: TaskOutcome['report']): Effect {
	return { kind: 'task', outcome: { ending, ...(report ? { report } : {}) } };
}

export const ending = (name: TaskOutcome['ending']): Effect => task(name);

/** Completed in time, and unknown to the status query at first. */
export const notFoundYet: Effect = {
	kind: 'task',
	outcome: { ending: 'completed', lags: true },
};

/** A failed task whose `error` is this value, or absent without one. */
export function failed(...error: unknown[]): Effect {
	return task('failed', (body) => (error.length > 0 ? { ...body, error: error[0] } : body));
}

export const failedEchoingKey = task('failed', (body, authorization) => ({
	...body,
	error: { code: 'upstream_refused', message: `No such key: ${authorization}` },
}));

/** A task completed with these fields changed; undefined leaves a field out. */
export function completedWith(changes: Record<string, unknown>): Effect {
	return task('completed', (body) =>
		body['status'] === 'completed' ? { ...body, ...changes } : body,
	);
}

/** At every moment these fields are changed; undefined leaves a field out. */
export function alwaysWith(changes: Record<string, unknown>): Effect {
	return task('completed', (body) => ({ ...body, ...changes }));
}
