import * as z from 'zod';
import { PROGRESS_SHAPES } from '../../../simulator/video/taskPlan';
import { ANSWERS } from './answers';
import { FORMS } from './formNames';

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
	/** Entries and tasks have a field that the document does not name, with a long integer. */
	extraField: z.boolean().optional(),
	/** Statuses in capital letters. */
	loudStatus: z.boolean().optional(),
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

export const FAULTS = [
	'lost',
	'reset',
	'stall',
	'stall-inside',
	'cut',
	'status-500',
	'status-502',
	'status-503',
	'status-429',
	'status-403',
	'status-400',
	'page-502',
	'page-504',
	'page-404',
	'page-403',
	'page-407',
	'page-200',
	/** It is said to be compressed, and is not. */
	'bad-gzip',
	/** Half of a compressed body. */
	'cut-gzip',
	/** The work is done, and a server in between fails. */
	'handled-502',
	/** A refusal that repeats the key. */
	'echo-key',
	/** A task that fails with the key in its error; of a submission. */
	'task-echo-key',
	/** 303 to another host, for a submission that was accepted. */
	'redirect-303',
	/** A 429 whose body never ends. */
	'stall-429',
	/** For an hour only bytes that keep the connection alive, then the response. */
	'pings',
	/** Of a chat: an error beside the choices. */
	'error-beside-choices',
	/** Of a chat: finish_reason is empty until the connection breaks off. */
	'empty-finish-cut',
	/** Of a streamed chat: events that are no chunks. */
	'keep-alive-events',
	'redirect',
	'slow',
	/** One request that no limit will ever admit, with a Retry-After of 2 or 20 s. */
	'too-large',
	'too-large-20',
	/** A 429 with `x-should-retry: false`. */
	'should-not-retry',
	/** A used-up quota as 429, without a time. */
	'quota-429',
	/** A used-up quota as 403, with a Retry-After that changes nothing. */
	'quota-403-later',
	/** A 429 whose Retry-After is a Unix time. */
	'retry-after-unix',
	/** Refusals with a Retry-After of 20 s, also of a download. */
	'wait-429',
	'wait-503',
	/** The work is done; a server in between stops waiting. */
	'page-408',
	'page-524',
	/** The work is done; the route to the service is gone before the response. */
	'lost-route',
	/** An error whose code is long, has control characters, and repeats the key. */
	'long-code',
	/** Half a chat, then an error: a text, an event of its own, beside a finish_reason. */
	'error-text',
	'error-event',
	'error-finish',
	/** An error that is none, in a whole chat. */
	'error-empty',
	/** Of a streamed chat: each chunk has the usage so far. */
	'running-usage',
	/** Of a chat: labels that each chunk repeats. */
	'labels',
	/** The key in one of many forms, as `echo` says. */
	'echo',
	/** Of a chat: the content is a list of parts. */
	'content-parts',
	/** The model calls two tools. */
	'tool-calls',
	'quota-429-later',
	/** The task fails, with an error of the service in one of two forms. */
	'task-error',
	'task-text',
	/** A list of models in other shapes than the usual one. */
	'models-names',
	'models-bare',
] as const;

const fault = z.object({
	endpoint: z.enum(ENDPOINTS),
	/** Of the item whose requests it meets; default: all. */
	prompt: z.string().optional(),
	/** Which requests for this item (chat, submit) or this task (poll, download), from 1; default: all. */
	attempts: z.array(z.int()).optional(),
	fault: z.enum([...FAULTS, ...FORMS]),
	/** Only at one of two services; default: at both. */
	at: z.enum(['first', 'other']).optional(),
	echo: z.object({ before: z.int(), isGood: z.boolean().optional() }).optional(),
	...period,
});

/** No connection is made: the service receives nothing. */
const outage = z.object({
	failure: z.enum(['refused', 'unknown host', 'lookup fails', 'unreachable', 'silent', 'no TLS']),
	host: z.enum(['service', 'files']).optional(),
	...period,
});

/** Ways to write a Base URL. A gateway may pass on what follows a path of its own. */
export const BASE_PATHS = ['/', '/v1', '/v1/', '/gateway', '/gateway/v1', '/gateway/v1//'] as const;

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
	/** How models answer. Default: in words. */
	answers: z.enum(ANSWERS).optional(),
	/** What follows the host in the Base URL of the credential. */
	basePath: z.enum(BASE_PATHS).optional(),
	/** Videos are on a host of their own. */
	hasFileHost: z.boolean().optional(),
});

export type ServicePlan = z.infer<typeof servicePlan>;
export type Limit = z.infer<typeof limit>;
export type TaskPlan = z.infer<typeof taskPlan>;
export type FaultPlan = z.infer<typeof fault>;
export type Outage = z.infer<typeof outage>;
