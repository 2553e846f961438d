import { z } from 'zod';
import { ENDPOINTS, FAULTS } from '../../../simulator';
import { ENDINGS, PROGRESS_SHAPES } from '../../../simulator/video/taskPlan';

/** The name of a fault that is a page of another server. */
export const PAGE = /^page-(\d{3})$/;

const endpoint = z.enum(ENDPOINTS);
const seconds = z.number().nonnegative();
const milliseconds = z.number().nonnegative();
const count = z.int().positive();

/** Times of a life are in seconds since its start. */
const period = { fromSeconds: seconds.optional(), untilSeconds: seconds.optional() };

const window = { requests: count, windowSeconds: z.number().positive() };

const rule = z.discriminatedUnion('kind', [
	z.object({ kind: z.literal('bucket'), requestsPerSecond: z.number().positive(), burst: count }),
	z.object({ kind: z.literal('fixedWindow'), ...window }),
	z.object({ kind: z.literal('slidingWindow'), ...window }),
	z.object({ kind: z.literal('inFlight'), requests: count }),
	z.object({ kind: z.literal('tokens'), tokens: count, windowSeconds: z.number().positive() }),
]);

const limit = rule.and(
	z.object({
		scope: z.enum(['key', 'endpoint', 'model']).optional(),
		endpoints: z.array(endpoint).optional(),
		models: z.array(z.string()).optional(),
		announces: z.enum(['seconds', 'reset', 'nothing']).optional(),
		...period,
	}),
);

const refusal = z.strictObject({
	probability: z.number().min(0).max(1),
	status: z.literal([429, 500, 502, 503]),
	endpoints: z.array(endpoint).optional(),
	retryAfterSeconds: seconds.optional(),
	...period,
});

const taskPlan = z.strictObject({
	/** Only for this prompt; one of all plans that fit a prompt is chosen by the seed. */
	prompt: z.string().optional(),
	seconds,
	queued: z.number().min(0).max(1).optional(),
	progress: z.enum(PROGRESS_SHAPES).optional(),
	ending: z.enum(ENDINGS).optional(),
	lagSeconds: seconds.optional(),
	statusLagSeconds: seconds.optional(),
	vanishesAfterSeconds: seconds.optional(),
	changesId: z.boolean().optional(),
	extraTasks: z.int().min(-4).max(4).optional(),
	urlLagSeconds: seconds.optional(),
	urlValidSeconds: seconds.optional(),
	fileLagSeconds: seconds.optional(),
});

/** Of the fault table, or `page-<status>`: a page of another server with any status. */
const faultName = z
	.string()
	.refine((name) => PAGE.test(name) || FAULTS.some((fault) => fault.name === name));

const fault = z.strictObject({
	endpoint,
	fault: faultName,
	/** The item; default all. A poll and a download have the prompt of their task. */
	prompt: z.string().optional(),
	/** Of the requests with this prompt (chat, submission) or of this task (poll, download); the first is 1. */
	attempts: z.array(count).optional(),
	...period,
});

/** Why no connection is made, so the service receives nothing. */
const network = z.strictObject({
	failure: z.enum(['refused', 'unknown host', 'lookup fails', 'unreachable', 'silent', 'no TLS']),
	host: z.enum(['service', 'files']).optional(),
	...period,
});

/** The service of a life, as plain JSON. */
export const servicePlan = z.strictObject({
	/** Decides everything that happens at random. */
	seed: z.int().default(1),
	keys: z.array(z.string()).min(1).default(['key-of-the-simulation']),
	/** In each direction, from and to. */
	latencyMs: z.tuple([milliseconds, milliseconds]).default([20, 80]),
	connectMs: milliseconds.default(0),
	/** Between two events of a stream. */
	chunkDelayMs: milliseconds.default(0),
	/** What the slow faults take. */
	slowMs: milliseconds.default(2000),
	/** Videos are on a host of their own. */
	hasFileHost: z.boolean().default(false),
	tasks: z.array(taskPlan).default([]),
	limits: z.array(limit).default([]),
	refusals: z.array(refusal).default([]),
	faults: z.array(fault).default([]),
	network: z.array(network).default([]),
});

export type ServicePlan = z.infer<typeof servicePlan>;
export type ServicePlanInput = z.input<typeof servicePlan>;
