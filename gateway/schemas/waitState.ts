import * as z from 'zod';

/** JSON that is handed back as it was. */
const object = z.custom<object>((value) => typeof value === 'object' && value !== null);
type Field = object | string | number | boolean | null | undefined;
const fields = z.custom<Record<string, Field>>((value) => object.safeParse(value).success);

/** All that is told of an error: enough to tell it again in another process. */
const toldError = z.object({
	/** As in an error item. */
	failure: z.looseObject({
		message: z.string(),
		/** What to do next, then the service's own words. */
		description: z.string(),
		code: z.string(),
		/** Null where the failure is no response of the service. */
		http_status: z.number().nullable(),
	}),
	/** Thrown as n8n's NodeApiError. */
	isApiError: z.boolean(),
	/** n8n 2.40 and later shows and counts failures by their cause. */
	cause: z
		.union([
			z.object({ cause: z.literal('rate-limited'), retryAfterMs: z.number().exactOptional() }),
			z.object({ cause: z.enum(['quota-exhausted', 'temporarily-unavailable']) }),
			z.object({ cause: z.literal('credential-invalid') }),
		])
		.optional(),
});

export type ToldError = z.infer<typeof toldError>;

const progressSeen = z.object({
	/** Milliseconds since the Unix epoch. */
	at: z.number(),
	progress: z.number(),
});

/** A task that is waited for, or was. */
const task = z.object({
	id: z.string(),
	/** The place of its plan. */
	plan: z.number().int(),
	status: z.string(),
	url: z.string().nullish(),
	/** The service's object of the request that created it, where it is known. */
	request: fields.optional(),
	/** Until when it is waited for: milliseconds since the Unix epoch, so that a restart does not lengthen it. */
	deadline: z.number(),
	/** Milliseconds since the Unix epoch; undefined for a task of an earlier execution. */
	submittedAt: z.number().optional(),
	/** The latest progress. */
	progress: z.number().nullish(),
	/** The first progress that a poll has seen. */
	seen: progressSeen.optional(),
	/** Responses in a row that made no sense. */
	malformed: z.number().optional(),
	/** What came of it: the node's item, or its error. */
	item: object.optional(),
	error: toldError.optional(),
});

/** How the tasks of one or more items are waited for and handed on. */
const plan = z.object({
	wait: z.object({
		pollIntervalMs: z.number(),
		maxWaitMs: z.number(),
		polling: z.enum(['fixed', 'adaptive']),
		onTimeout: z.enum(['error', 'output']),
	}),
	output: z.looseObject({ simplify: z.boolean(), binaryProperty: z.string().optional() }),
});

const item = z.object({
	tasks: z.array(task),
	/** Why it has no tasks, or none in place of those that failed. */
	error: toldError.optional(),
});

/** Everything that a node must know of a wait to go on with it in another process; null for items that were not begun. */
const waitState = z.object({
	plans: z.array(plan),
	items: z.array(item.nullable()),
	hints: z.array(z.tuple([z.string(), z.number()])),
});

export type WaitedTask = z.infer<typeof task>;
export type WaitState = z.infer<typeof waitState>;

/** Undefined for what is no state of a wait. */
export function parseWaitState(value: unknown): WaitState | undefined {
	return waitState.safeParse(value).data;
}
