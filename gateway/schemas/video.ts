import * as z from 'zod';
import { type GatewayError, invalidInput } from '../errors/gatewayError';
import { idText } from '../lineText';
import { addTooBig, listOf, orNull, spare, spares } from './lists';
import {
	BOUNDS,
	mergeAdditionalBody,
	modelId,
	number,
	numberBetween,
	parseInput,
	text,
	wholeNumber,
} from './input';

const FPS_RULE = 'must be 24, 30 or 60';

/** Body of `POST /media/v1/video/generations`, with the bounds of the interface document. */
const videoRequestSchema = z.looseObject({
	prompt: text(),
	model: modelId,
	size: z.enum(['480p', '720p', '1080p'], { error: 'must be 480p, 720p or 1080p' }).nullish(),
	duration: numberBetween(...BOUNDS.duration).nullish(),
	fps: number(FPS_RULE)
		.refine((value) => [24, 30, 60].includes(value), FPS_RULE)
		.nullish(),
	n: wholeNumber(BOUNDS.n).nullish(),
	response_format: z.enum(['url', 'b64_json'], { error: 'must be url or b64_json' }).nullish(),
	user: text().nullish(),
});

export type VideoRequest = z.infer<typeof videoRequestSchema>;

/** The fields that the document names, unchecked. */
export type VideoFields = Partial<Record<keyof typeof videoRequestSchema.shape, unknown>>;

/**
 * Builds the body of a video submission from unchecked input. Undefined fields are not sent.
 * @param input.duration seconds
 * @param additionalBody a JSON object with fields this client does not know
 * @throws GatewayError naming the field
 */
export function videoRequest(input: VideoFields, additionalBody?: unknown): VideoRequest {
	return parseInput(videoRequestSchema, mergeAdditionalBody(input, additionalBody));
}

/** The four task statuses (States and transitions). */
export const STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;

/** Characters. LiteLLM's task IDs have some 350. */
const MAX_TASK_ID = 2000;

const submission = { id: z.string(), object: z.string(), created: z.number(), model: z.string() };
const submittedTask = {
	id: z.string(),
	/** "`processing` on submission" */
	status: z.enum(['queued', 'processing']),
	/** "null until a result exists" */
	url: z.null(),
	revised_prompt: z.string().optional(),
};

/** Video submission response. */
export const videoSubmission = {
	exact: z.strictObject({
		...submission,
		data: listOf(z.strictObject({ ...submittedTask, id: z.string().min(1).max(MAX_TASK_ID) })),
	}),
	/** Only the IDs lead to what was paid for. */
	lenient: z
		.looseObject({
			...spares(submission),
			data: listOf(
				z.looseObject({
					id: z.string().min(1),
					status: z.enum(STATUSES).catch('processing'),
					url: z.string().nullish().catch(null),
					revised_prompt: spare(z.string().nullable()),
				}),
			),
		})
		.superRefine(({ data }, context) => {
			const { id = '' } = data.find((task) => task.id.length > MAX_TASK_ID) ?? {};
			if (id === '') return;
			const message = `the ID of a task has ${id.length} characters and begins with ${idText(id.slice(0, 100))}`;
			addTooBig(context, message);
		}),
};
export type VideoSubmission = z.infer<typeof videoSubmission.lenient>;

const metadata = { duration: z.number(), size: z.string(), fps: z.number(), format: z.string() };
const runningTask = {
	...submittedTask,
	/** "0 to 100 (percent)" */
	progress: z.literal([...Array(101).keys()]).optional(),
	created_at: z.number().optional(),
};

/** Video task (status query response). */
export const videoTaskReport = {
	exact: z.discriminatedUnion('status', [
		z.strictObject(runningTask),
		z.strictObject({
			...runningTask,
			status: z.literal('completed'),
			/** "Address of the produced video when completed" */
			url: z.string().regex(/^https?:\/\/\S+$/),
			completed_at: z.number().optional(),
			metadata: z.strictObject(metadata).partial().optional(),
		}),
	]),
	/** Only the status matters. */
	lenient: z.looseObject({
		id: z.string().min(1).optional(),
		/** One of the four task statuses. With any other word, the task is still running. */
		status: z.string().min(1),
		...spares(
			orNull({
				progress: z.number().min(0).max(100),
				created_at: z.number(),
				url: z.string(),
				revised_prompt: z.string(),
				metadata: z.looseObject(spares(orNull(metadata))),
				completed_at: z.number(),
			}),
		),
		/** "Its exact shape is undefined by the interface." */
		error: z.unknown().optional(),
		/** What a dialect says beside: further videos, a status that is none of the four, with what it means, and the words of a failure. */
		others: z.array(z.string()).optional(),
		said_status: z.object({ word: z.string(), meaning: z.enum(STATUSES) }).optional(),
		failure: z
			.object({ words: z.string(), code: z.string().optional(), reason: z.string().optional() })
			.optional(),
		/** What the service sent in the fields that read otherwise. `id`: in place of the one that was asked for. */
		sent_as: z.looseObject({ id: z.string().optional() }).optional(),
	}),
};

export const videoTask = videoTaskReport.lenient.extend({
	id: z.string(),
	/** Where they contain the key: the ID for polls, and the URL for the download. Never shown. */
	used: videoTaskReport.lenient
		.pick({ url: true, others: true })
		.extend({ id: z.string() })
		.optional(),
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

/** A task with the fields that the service sent, as it sent them. */
export function asSent({ sent_as, ...task }: VideoTask): Record<string, unknown> {
	const own = { others: undefined, said_status: undefined, failure: undefined, used: undefined };
	return { ...task, ...own, ...sent_as, id: task.id };
}

/** What the status of a task means, as far as it is known. */
export function statusMeaning({ status, said_status }: VideoTask) {
	return said_status?.meaning ?? STATUSES.find((own) => own === status);
}

/** Whether a task has failed if the next poll says so, too. */
export function mayBeFailed(task: VideoTask): boolean {
	return task.status !== 'failed' && statusMeaning(task) === 'failed';
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
		taskId: typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value,
	});
	if (taskId.length > MAX_TASK_ID) throw refusedTaskId(`is longer than ${MAX_TASK_ID} characters`);
	pathOfTaskId(taskId);
	return taskId;
}
