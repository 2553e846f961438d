import * as z from 'zod';
import { type GatewayError, invalidInput } from '../errors/gatewayError';
import { idText } from '../lineText';
import type { Asked } from './answerWalk';
import { findTask } from './foundTask';
import { MAX_ENTRIES, sensibleEntries } from './lists';
import { isFields } from './responseJson';
import { submittedTasks } from './submittedTasks';
import { isKnownStatus, readStatus, STATUSES } from './taskStatus';
import {
	BOUNDS,
	mergeAdditionalBody,
	number,
	numberBetween,
	parseInput,
	text,
	wholeNumber,
} from './input';

const FPS_RULE = 'must be 24, 30 or 60';

/** Body of `POST /media/v1/video/generations`, with the bounds of the interface document. */
const request = z.looseObject({
	prompt: text(),
	model: text('must be the ID of a model'),
	size: z.enum(['480p', '720p', '1080p'], { error: 'must be 480p, 720p or 1080p' }).optional(),
	duration: numberBetween(...BOUNDS.duration).optional(),
	fps: number(FPS_RULE)
		.refine((value) => [24, 30, 60].includes(value), FPS_RULE)
		.optional(),
	n: wholeNumber(BOUNDS.n).optional(),
	response_format: z.enum(['url', 'b64_json'], { error: 'must be url or b64_json' }).optional(),
	user: text().optional(),
});

export type VideoRequest = z.infer<typeof request>;

/** The fields that the document names, unchecked. */
export type VideoFields = Partial<Record<keyof typeof request.shape, unknown>>;

/**
 * Builds the body of a video submission from unchecked input. Undefined fields are not sent.
 * @param input.duration seconds
 * @param additionalBody a JSON object with fields this client does not know
 * @throws GatewayError naming the field
 */
export function videoRequest(input: VideoFields, additionalBody?: unknown): VideoRequest {
	return parseInput(request, mergeAdditionalBody(input, additionalBody));
}

/** Characters. LiteLLM's task IDs have some 350. */
const MAX_TASK_ID = 2000;

/** An identifier that is a number is accepted: it is the only way to what was paid for. */
const identifier = z.union([z.string().min(1), z.number().transform(String)]);

const submittedTask = z.looseObject({
	id: identifier,
	status: z
		.preprocess((value) => readStatus(String(value), false), z.enum(STATUSES))
		.catch('processing'),
	url: z.string().nullish().catch(null),
	revised_prompt: z.string().nullish().catch(undefined),
});

/** The tasks of the interface's list, or those that are found. */
function tasksOf(value: unknown): unknown {
	const { data } = isFields(value) ? value : {};
	if (!Array.isArray(data)) return submittedTasks(value);
	const isTask = (entry: unknown) => submittedTask.safeParse(entry).success;
	return data.length > MAX_ENTRIES || data.some(isTask) ? data : submittedTasks(value);
}

/**
 * Video submission response. Nothing beyond the ids is worth losing a paid task over:
 * a missing or unknown status counts as the document's `processing`.
 */
export const videoSubmission = z.preprocess(
	(value) => (typeof value === 'object' ? { ...value, data: tasksOf(value) } : value),
	z
		.looseObject({
			id: identifier.optional().catch(undefined),
			object: z.string().optional().catch(undefined),
			created: number().optional().catch(undefined),
			model: z.string().optional().catch(undefined),
			data: sensibleEntries(submittedTask).refine((tasks) => tasks.length > 0),
		})
		.superRefine(({ data }, context) => {
			const { id = '' } = data.find((task) => task.id.length > MAX_TASK_ID) ?? {};
			if (id === '') return;
			const message = `the ID of a task has ${id.length} characters and begins with ${idText(id.slice(0, 100))}`;
			context.addIssue({
				code: 'too_big',
				origin: 'string',
				maximum: MAX_TASK_ID,
				input: id,
				message,
			});
		}),
);

export type VideoSubmission = z.infer<typeof videoSubmission>;

const metadata = z.looseObject({
	duration: number().nullish().catch(undefined),
	size: z.string().nullish().catch(undefined),
	fps: number().nullish().catch(undefined),
	format: z.string().nullish().catch(undefined),
});

/** Some services add a percent sign. */
const progress = z.preprocess(
	(value) => (typeof value === 'string' ? value.replace(/%$/, '') : value),
	numberBetween(0, 100),
);

/** Seconds. Some services send ISO 8601. */
const unixTime = z.preprocess(
	(value) =>
		typeof value === 'string' && value.includes('-') ? Math.floor(Date.parse(value) / 1000) : value,
	number(),
);

/** A status query response. Only the status matters; the rest may be missing. */
const report = z.looseObject({
	id: identifier.nullish(),
	status: z.string().min(1),
	progress: progress.nullish().catch(undefined),
	url: z.string().trim().nullish().catch(undefined),
	others: z.array(z.string()).optional(),
	revised_prompt: z.string().nullish().catch(undefined),
	metadata: metadata.nullish().catch(undefined),
	created_at: unixTime.nullish().catch(undefined),
	completed_at: unixTime.nullish().catch(undefined),
	/** "Its exact shape is undefined by the interface." */
	error: z.unknown().optional(),
	/** What the answer says of a failure, in whichever fields. */
	failure: z
		.object({ words: z.string(), code: z.string().optional(), reason: z.string().optional() })
		.optional(),
});

/** An answer with neither the task's ID nor a known status comes from another server. */
const foundTask = report.refine(({ id, status }) => Boolean(id) || isKnownStatus(status));

/** What an answer says of the task that was asked for. */
export const videoTaskReport = (asked: Asked) =>
	z.preprocess((answer) => findTask(answer, asked), foundTask);

export const videoTask = report.extend({
	id: z.string(),
	/** What the service said instead of the id that was asked for, and of the interface's word. */
	sent_as: z.object({ id: z.string().optional(), status: z.string().optional() }).optional(),
	/** Where they contain the key: the ID for polls, and the URL for the download. Never shown. */
	used: report.pick({ url: true, others: true }).extend({ id: z.string() }).optional(),
});

/** A video task, with the id it was requested by. */
export type VideoTask = z.infer<typeof videoTask>;

/** What leads to a task and its videos. */
export type TaskPlace = Pick<VideoTask, 'id' | 'url' | 'others'>;

/** The ID and the URLs as the service sent them, if redaction changed one. */
export function usedOf(shown: TaskPlace, sent: TaskPlace = shown): VideoTask['used'] {
	const [here, there] = [shown, sent].map(({ id, url, others }) => ({ id, url, others }));
	return JSON.stringify(here) === JSON.stringify(there) ? undefined : there;
}

/** A finished task is never polled again. */
export function isFinished(task: { status: string }): boolean {
	return task.status === 'completed' || task.status === 'failed';
}

/**
 * A task id as a part of a URL.
 * @throws GatewayError when it contains half of a character, or a dot segment, which a URL cannot: the id itself
 * stays known
 */
export function pathOfTaskId(taskId: string): string {
	if (/\p{Surrogate}/u.test(taskId))
		throw refusedTaskId('contains half of a character, which a URL cannot contain');
	// WHATWG URL Standard, 4.1: also as %2E it leads to the parent of the path. Some proxies decode %2F first.
	if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(taskId))
		throw refusedTaskId('has dots between slashes, which lead to another URL');
	return encodeURIComponent(taskId);
}

function refusedTaskId(rule: string): GatewayError {
	const advice =
		'Use the task_id that a submission returned, unchanged. If it is, n8n cannot ask for this task: look for the video in your account.';
	return invalidInput('taskId', `Task ID ${rule}`, advice);
}

/**
 * Checks a task id from a user, which becomes a part of the URL: every id that a submission returned is one.
 * @throws GatewayError
 */
export function parseTaskId(value: unknown): string {
	const { taskId } = parseInput(z.object({ taskId: text() }), {
		taskId: Number.isSafeInteger(value) ? String(value) : value,
	});
	if (taskId.length > MAX_TASK_ID) throw refusedTaskId(`is longer than ${MAX_TASK_ID} characters`);
	pathOfTaskId(taskId);
	return taskId;
}
