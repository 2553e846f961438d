import * as z from 'zod';
import { InvalidInputError } from '../errors/gatewayError';
import { idText } from '../errors/texts';
import { sensibleEntries } from './responseJson';
import { mergeAdditionalBody, number, numberBetween, parseInput, text } from './input';

const FPS_RULE = 'must be 24, 30 or 60';
const COUNT_RULE = 'must be a whole number from 1 to 4';

/** Body of `POST /media/v1/video/generations`, with the bounds of the interface document. */
const request = z.looseObject({
	prompt: text(),
	model: text('must be the ID of a model'),
	size: z.enum(['480p', '720p', '1080p'], { error: 'must be 480p, 720p or 1080p' }).optional(),
	duration: numberBetween(2, 10).optional(),
	fps: number(FPS_RULE)
		.refine((value) => [24, 30, 60].includes(value), FPS_RULE)
		.optional(),
	n: number(COUNT_RULE)
		.refine((value) => [1, 2, 3, 4].includes(value), COUNT_RULE)
		.optional(),
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
 * @throws InvalidInputError naming the field
 */
export function videoRequest(input: VideoFields, additionalBody?: unknown): VideoRequest {
	return parseInput(request, mergeAdditionalBody(input, additionalBody));
}

const statusName = z.enum(['queued', 'processing', 'completed', 'failed']);

/** The case of a status does not matter. */
const knownStatus = z.preprocess(
	(value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
	statusName,
);

/** "Clients poll until status is completed or failed" (Endpoints): with any other status the task is still running. */
const anyStatus = z.union([knownStatus, z.string().min(1)]);

/** Characters. LiteLLM's task IDs have some 350. */
const MAX_TASK_ID = 2000;

/** An identifier that is a number is accepted: it is the only way to what was paid for. */
const identifier = z.union([z.string().min(1), z.number().transform(String)]);

/** A number in quotation marks counts as that number. */
const sentNumber = number('must be a number');

/**
 * Video submission response. Nothing beyond the ids is worth losing a paid task over:
 * a missing or unknown status counts as the document's `processing`.
 */
export const videoSubmission = z
	.looseObject({
		id: identifier.optional().catch(undefined),
		object: z.string().optional().catch(undefined),
		created: sentNumber.optional().catch(undefined),
		model: z.string().optional().catch(undefined),
		data: sensibleEntries(
			z.looseObject({
				id: identifier,
				status: knownStatus.catch('processing'),
				url: z.string().nullish().catch(null),
				revised_prompt: z.string().nullish().catch(undefined),
			}),
		).refine((tasks) => tasks.length > 0),
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
	});

export type VideoSubmission = z.infer<typeof videoSubmission>;

const metadata = z.looseObject({
	duration: sentNumber.nullish().catch(undefined),
	size: z.string().nullish().catch(undefined),
	fps: sentNumber.nullish().catch(undefined),
	format: z.string().nullish().catch(undefined),
});

/** A status query response. Only the status matters; the rest may be missing. */
const report = z.looseObject({
	id: identifier.nullish(),
	status: anyStatus,
	progress: numberBetween(0, 100).nullish().catch(undefined),
	url: z.string().trim().nullish(),
	revised_prompt: z.string().nullish().catch(undefined),
	metadata: metadata.nullish().catch(undefined),
	created_at: sentNumber.nullish().catch(undefined),
	completed_at: sentNumber.nullish().catch(undefined),
	/** "Its exact shape is undefined by the interface." */
	error: z.unknown().optional(),
});

/** A body with neither a task's id nor a known status comes from another server. */
export const videoTaskReport = report.refine(
	({ id, status }) => Boolean(id) || statusName.safeParse(status).success,
);

export const videoTask = report.extend({ id: z.string() });

/** A video task, with the id it was requested by. */
export type VideoTask = z.infer<typeof videoTask>;

/** A finished task is never polled again. */
export function isFinished(task: { status: string }): boolean {
	return task.status === 'completed' || task.status === 'failed';
}

/**
 * A task id as a part of a URL.
 * @throws InvalidInputError when it contains half of a character, or a dot segment, which a URL cannot: the id itself
 * stays known
 */
export function pathOfTaskId(taskId: string): string {
	if (/\p{Surrogate}/u.test(taskId))
		throw refusedTaskId('contains half of a character, which a URL cannot contain');
	// WHATWG URL Standard, 4.1: also as %2E it leads to the parent of the path. Some proxies decode %2F first.
	if (/(^|\/)\.{1,2}(\/|$)/.test(taskId))
		throw refusedTaskId('has dots between slashes, which lead to another URL');
	return encodeURIComponent(taskId);
}

function refusedTaskId(rule: string): InvalidInputError {
	const advice = 'Use only the task_id that a submission returned, unchanged.';
	return new InvalidInputError('taskId', `taskId ${rule}`, advice);
}

/**
 * Checks a task id from a user, which becomes a part of the URL: every id that a submission returned is one.
 * @throws InvalidInputError
 */
export function parseTaskId(value: unknown): string {
	const { taskId } = parseInput(z.object({ taskId: text() }), {
		taskId: Number.isSafeInteger(value) ? String(value) : value,
	});
	if (taskId.length > MAX_TASK_ID) throw refusedTaskId(`is longer than ${MAX_TASK_ID} characters`);
	pathOfTaskId(taskId);
	return taskId;
}
