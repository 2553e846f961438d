import * as z from 'zod';
import type { WallTime } from '../wallTime';

/** JSON that is returned unchanged. */
const object = z.custom<object>((value) => typeof value === 'object' && value !== null);
type Field = object | string | number | boolean | null | undefined;
const fields = z.custom<Record<string, Field>>((value) => object.safeParse(value).success);

/** Everything a node reports of an error: enough to report it again in another process. */
const errorReport = z.object({
	/** As in an error item. */
	failure: z.looseObject({
		message: z.string(),
		/** What to do next, then the service's own words. */
		description: z.string(),
		code: z.string(),
		/** Null if the failure is not a response of the service. */
		http_status: z.number().nullable(),
	}),
	/** Thrown as n8n's NodeApiError. */
	isApiError: z.boolean(),
	/** n8n 2.40 and later shows and counts failures by their cause. */
	cause: z
		.union([
			z.object({ cause: z.literal('rate-limited'), retryAfterMs: z.number() }),
			z.object({ cause: z.literal('rate-limited') }),
			z.object({ cause: z.enum(['quota-exhausted', 'temporarily-unavailable']) }),
			z.object({ cause: z.literal('credential-invalid') }),
		])
		.optional(),
});

export type ErrorReport = z.infer<typeof errorReport>;

/** Milliseconds since the Unix epoch. */
const wallTime = z.custom<WallTime>((value) => Number.isFinite(value));

const progressSeen = z.object({
	at: wallTime,
	progress: z.number(),
});

/**
 * What most waits have in common is not stored. Never change it: executions are stored with it, and every later version of
 * this package reads them. A new format is a new file, and its state has a `version`.
 */
export const OMITTED_IN_STORED_V1 = {
	task: { plan: 0, status: 'processing' },
	wait: { pollIntervalMs: 5_000, maxWaitMs: 600_000, polling: 'fixed', onTimeout: 'error' },
	output: { simplify: true },
} as const;

/** A task that the wait is for, finished or not. */
const task = z.object({
	id: z.string(),
	/** Index of its plan. */
	plan: z.number().int().default(OMITTED_IN_STORED_V1.task.plan),
	status: z.string().default(OMITTED_IN_STORED_V1.task.status),
	/** The service's object of the request that created it, if known. */
	request: fields.optional(),
	/** When its Max Wait is over: a restart does not extend it. */
	deadline: wallTime,
	/** Undefined for a task of an earlier execution. */
	submittedAt: wallTime.optional(),
	/** The latest progress. */
	progress: z.number().nullish(),
	/** The first progress that a poll has seen. */
	seen: progressSeen.optional(),
	/** Whether a poll has found a task of an earlier execution. */
	found: z.boolean().optional(),
	/** Answers in a row that are no word of the service. */
	malformed: z.number().optional(),
	/** The result: the node's item, or its error. */
	item: object.optional(),
	error: errorReport.optional(),
});

/** How to wait for the tasks of one or more items, and how to output them. */
const plan = z.object({
	wait: z.object({
		pollIntervalMs: z.number().default(OMITTED_IN_STORED_V1.wait.pollIntervalMs),
		maxWaitMs: z.number().default(OMITTED_IN_STORED_V1.wait.maxWaitMs),
		polling: z.enum(['fixed', 'adaptive']).default(OMITTED_IN_STORED_V1.wait.polling),
		onTimeout: z.enum(['error', 'output']).default(OMITTED_IN_STORED_V1.wait.onTimeout),
	}),
	output: z.looseObject({
		simplify: z.boolean().default(OMITTED_IN_STORED_V1.output.simplify),
		includeInputFields: z.boolean().optional(),
		binaryProperty: z.string().optional(),
		fileName: z.string().optional(),
	}),
});

const item = z.object({
	tasks: z.array(task),
	/** Why it has no tasks, or no replacements for those that failed. */
	error: errorReport.optional(),
});

/** Everything a node needs to continue a wait in another process; null for items that have not started. */
const waitState = z.object({
	version: z.undefined().optional(),
	plans: z.array(plan),
	items: z.array(item.nullable()),
	hints: z.array(z.tuple([z.string(), z.number()])).default([]),
});

export type WaitedTask = z.infer<typeof task>;
export type WaitState = z.infer<typeof waitState>;

/** What to store of a state, for {@link parseWaitState}. The first format has no `version`. */
export function storedWaitState({ plans, items, hints }: WaitState): object {
	return {
		plans: plans.map(({ wait, output }) => ({
			wait: unlike(OMITTED_IN_STORED_V1.wait, wait),
			output: unlike(OMITTED_IN_STORED_V1.output, output),
		})),
		items: items.map(
			(item) =>
				item && {
					...item,
					tasks: item.tasks.map((task) => unlike(OMITTED_IN_STORED_V1.task, task)),
				},
		),
		...(hints.length > 0 && { hints }),
	};
}

/** The fields that have other values than usual. */
function unlike(usual: Record<string, unknown>, fields: object): object {
	const differs = ([name, value]: [string, unknown]) => value !== usual[name];
	return Object.fromEntries(Object.entries(fields).filter(differs));
}

/** Undefined if the value is not the state of a wait, or that of another version. */
export function parseWaitState(value: unknown): WaitState | undefined {
	return waitState.safeParse(value).data;
}

const namedTask = z.object({
	id: z.string(),
	status: z.string().default(OMITTED_IN_STORED_V1.task.status),
	url: z.string().nullish(),
});

/** What the states of all versions have in common: of each item, its tasks. */
const anyVersion = z.object({
	items: z.array(
		z
			.object({ tasks: z.array(namedTask) })
			.nullable()
			.catch(null),
	),
});

export type NamedTask = z.infer<typeof namedTask>;

/** The tasks that a state names, by item, also that of another version; undefined if it is no state at all. */
export function tasksInWaitState(value: unknown): NamedTask[][] | undefined {
	return anyVersion.safeParse(value).data?.items.map((item) => item?.tasks ?? []);
}
