import * as z from 'zod';
import { PROGRESS_SHAPES } from '../../../simulator/video/taskPlan';
import { faultNamed } from './faults';

/** Seconds of the world's time; `from` and `until` count from the start of the scenario. */
const seconds = z.number().min(0);
const period = { from: seconds.optional(), until: seconds.optional() };

/** What becomes of the tasks of a prompt. */
const taskPlan = z.object({
	/** Default: of every prompt that no other plan is for. */
	prompt: z.string().optional(),
	/** Which submission of this prompt, from 1; default: each. */
	attempt: z.int().optional(),
	seconds,
	/** `vanished`: polls do not find it any more; `never`: it is processed for ever. */
	ending: z.enum(['completed', 'failed', 'vanished', 'never']).optional(),
	/** Only the first of its tasks ends so; the others are completed. */
	onlyFirst: z.boolean().optional(),
	progress: z.enum(PROGRESS_SHAPES).optional(),
	/** Polls find the task so much later. */
	lagSeconds: seconds.optional(),
	/** The status says completed so much later. */
	lateSeconds: seconds.optional(),
	/** How many tasks are made, whatever `n` was. */
	count: z.int().min(0).optional(),
	/** Polls report another id, which is known as well. */
	changesId: z.boolean().optional(),
	/** Ids are sent as JSON numbers above 2^53. */
	numericId: z.boolean().optional(),
	/** Of numeric ids. */
	idDigits: z.int().min(16).max(19).optional(),
	/** All tasks of a submission have one id. */
	sameId: z.boolean().optional(),
	/** Ids contain a line feed and an escape character. */
	controlId: z.boolean().optional(),
	/** The last task is listed without an id. */
	missingEntryId: z.boolean().optional(),
	/** A poll with the video as text arrives over this time. */
	inlineSeconds: seconds.optional(),
	/** The URL is null so long after the end is reported. */
	urlLagSeconds: seconds.optional(),
	/** A URL is valid so long after the poll that returned it. */
	urlValidSeconds: seconds.optional(),
	/** The file does not exist for so long after the end. */
	fileLagSeconds: seconds.optional(),
});

const limit = z.object({
	kind: z.enum(['bucket', 'fixedWindow', 'slidingWindow', 'inFlight', 'tokens']),
	scope: z.enum(['key', 'endpoint', 'model']),
	/** Which endpoint or model; default: each has a limit of its own. */
	of: z.string().optional(),
	/** Or tokens. */
	requests: z.int().min(1),
	/** Of the window; for a bucket, of its refill. */
	seconds: seconds.optional(),
	/** What a refusal asks for; default: what the limit needs. */
	retryAfter: seconds.optional(),
	/** How a refusal asks for it; default in seconds. */
	announces: z.enum(['seconds', 'reset', 'nothing']).optional(),
	...period,
});

export const ENDPOINTS = ['chat', 'submit', 'poll', 'models', 'download'] as const;

const fault = z.object({
	endpoint: z.enum(ENDPOINTS),
	/** Of the item whose requests it meets; default: all. */
	prompt: z.string().optional(),
	/** Which requests for this item (chat, submit) or this task (poll, download), from 1; default: all. */
	attempts: z.array(z.int()).optional(),
	fault: z.string().refine((name) => faultNamed(name) !== undefined, 'is no fault'),
	...period,
});

/** No connection is made: the service receives nothing. */
const outage = z.object({
	failure: z.enum(['refused', 'unknown host', 'lookup fails', 'unreachable', 'silent', 'no TLS']),
	host: z.enum(['service', 'files']).optional(),
	...period,
});

/** The service of a scenario. */
export const servicePlan = z.object({
	latencyMs: z.tuple([z.number(), z.number()]),
	/** What a new connection takes, and each request has its own; default 0. */
	connectMs: z.tuple([z.number(), z.number()]).optional(),
	tasks: z.array(taskPlan),
	/** How long the model thinks before each answer; default 0.5 to 2.5 s. */
	thinkingSeconds: seconds.optional(),
	limits: z.array(limit),
	faults: z.array(fault),
	/** The part of requests that is refused (429) at random. */
	refused: z.number().optional(),
	outages: z.array(outage).optional(),
	/** Models answer as JSON. Default: in words. */
	answersJson: z.boolean().optional(),
	/** Videos are on a host of their own. */
	hasFileHost: z.boolean().optional(),
});

export type ServicePlan = z.infer<typeof servicePlan>;
export type Limit = z.infer<typeof limit>;
export type TaskPlan = z.infer<typeof taskPlan>;
export type FaultPlan = z.infer<typeof fault>;
export type Outage = z.infer<typeof outage>;
