import * as z from 'zod';
import { type GatewayError, invalidInput } from '../errors/gatewayError';
import { idText } from '../lineText';
import { sensibleEntries } from './lists';
import { type Fields, isFields } from './responseJson';
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

const statusName = z.enum(['queued', 'processing', 'completed', 'failed']);

/** Words of other services: Sora's and Ark's for a task that runs, and those that mean an end everywhere. */
const PROCESSING = /^(?:inprogress|running)$/;
const COMPLETED = /^(?:succeeded|succeed|success|done|finished|complete)$/;
const FAILED = /^(?:cancell?ed|expired|fail|failure|rejected|timeout|interrupted)$/;

/** Case, spaces, hyphens and underscores of a status do not count. */
const wordOf = (status: string) => status.toLowerCase().replace(/[\s_-]/g, '');

/**
 * The interface's word for the status of a task; one that nobody knows stays. "Clients poll until status is completed or failed"
 * (Endpoints): with any other the task is still running.
 * @param hasVideo whether it has a URL or inline data: without, other services may call a step done
 */
export function readStatus(status: string, hasVideo: boolean): string {
	const word = wordOf(status);
	if (COMPLETED.test(word)) return hasVideo ? 'completed' : status;
	if (PROCESSING.test(word)) return 'processing';
	return FAILED.test(word) ? 'failed' : (statusName.safeParse(word).data ?? status);
}

/** Whether the service said the status in a word that the interface does not have. */
export function isOtherWord(said: string, status: string): boolean {
	return said !== status && wordOf(said) !== status;
}

export function isKnownStatus(status: string): boolean {
	return statusName.safeParse(status).success;
}

/** A status that is an end if the next poll says it, too. */
export function mayBeFailed({ status }: { status: string }): boolean {
	return wordOf(status) === 'error';
}

/** Characters. LiteLLM's task IDs have some 350. */
const MAX_TASK_ID = 2000;

/** An identifier that is a number is accepted: it is the only way to what was paid for. */
const identifier = z.union([z.string().min(1), z.number().transform(String)]);

/** Some services name an ID `task_id`. */
const withId = (value: unknown) =>
	isFields(value) ? { ...value, id: value.id ?? value.task_id } : value;

const submittedTask = z.preprocess(
	withId,
	z.looseObject({
		id: identifier,
		status: z
			.preprocess((value) => readStatus(String(value), false), statusName)
			.catch('processing'),
		url: z.string().nullish().catch(null),
		revised_prompt: z.string().nullish().catch(undefined),
	}),
);

/**
 * Video submission response. Nothing beyond the ids is worth losing a paid task over:
 * a missing or unknown status counts as the document's `processing`. Some services name one task instead of a list.
 */
export const videoSubmission = z.preprocess(
	(value) => {
		const { data = value } = isFields(value) ? value : {};
		return isFields(value) && !Array.isArray(data) ? { ...value, data: [data] } : value;
	},
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
	revised_prompt: z.string().nullish().catch(undefined),
	metadata: metadata.nullish().catch(undefined),
	created_at: unixTime.nullish().catch(undefined),
	completed_at: unixTime.nullish().catch(undefined),
	/** "Its exact shape is undefined by the interface." */
	error: z.unknown().optional(),
});

/** Where other services wrap a task, and its URL. */
const WRAPPERS = ['data', 'task', 'output'];
const PARTS = ['video', 'content', 'output', 'result'];

function unwrapped(value: unknown): unknown {
	if (!isFields(value)) return value;
	const inner = WRAPPERS.map((name) => value[name]).find(
		(part): part is Fields => isFields(part) && typeof part.status === 'string',
	);
	const task = typeof value.status === 'string' ? value : (inner ?? value);
	const parts = [task, ...PARTS.map((name) => task[name])];
	const urls = parts.flatMap((part) => (isFields(part) ? [part.url, part.video_url] : [part]));
	const isUrl = (text: unknown) => typeof text === 'string' && /^https?:/i.test(text);
	const url = urls.flat().find(isUrl);
	const error = task.error ?? task.fail_reason ?? task.failure ?? task.failure_reason;
	// "A task whose status is completed reports progress 100" (States): with its URL, nothing is missing but the word.
	const isDone = !task.status && url && progress.safeParse(task.progress).data === 100;
	const status = isDone ? 'completed' : task.status;
	const read = Object.entries({ id: task.id ?? task.task_id, url: url ?? task.url, error, status });
	return { ...task, ...Object.fromEntries(read.filter(([, field]) => field !== undefined)) };
}

/** A body with neither a task's id nor a known status comes from another server. */
export const videoTaskReport = z.preprocess(
	unwrapped,
	report.refine(({ id, status }) => Boolean(id) || isKnownStatus(readStatus(status, true))),
);

export const videoTask = report.extend({
	id: z.string(),
	/** What the service said instead of the id that was asked for, and of the interface's word. */
	sent_as: z.object({ id: z.string().optional(), status: z.string().optional() }).optional(),
	/** Where they contain the key: the ID for polls, and the URL for the download. Never shown. */
	used: z.object({ id: z.string(), url: z.string().nullish() }).optional(),
});

/** A video task, with the id it was requested by. */
export type VideoTask = z.infer<typeof videoTask>;

type Place = Pick<VideoTask, 'id' | 'url'>;

/** The ID and the URL as the service sent them, if redaction changed one. */
export function usedOf(shown: Place, { id, url }: Place = shown): VideoTask['used'] {
	return id === shown.id && url === shown.url ? undefined : { id, url };
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
