import * as z from 'zod';
import { TaskFailedError } from '../errors/gatewayError';
import type { VideoTask } from '../schemas/video';

const LONGEST_TEXT = 1_000;

const told = z.looseObject({
	message: z.string().optional().catch(undefined),
	detail: z.string().optional().catch(undefined),
	reason: z.string().optional().catch(undefined),
	code: z.union([z.string(), z.number()]).optional().catch(undefined),
});

/** The error of a task with status `failed`. Its `error` may have any shape: what a person can read of it is taken. */
export function taskFailedError(task: VideoTask): TaskFailedError {
	const { text, code } = read(task.error);
	return new TaskFailedError(
		task,
		text === undefined ? undefined : text.slice(0, LONGEST_TEXT),
		code,
	);
}

/** Undefined where it is nested too deep to be written. */
function toJson(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

function read(error: unknown): { text?: string | undefined; code?: string | undefined } {
	if (error === undefined || error === null || error === '') return {};
	if (typeof error === 'string') return { text: error };
	const { data } = told.safeParse(error);
	const text = data?.message ?? data?.detail ?? data?.reason ?? toJson(error);
	return { text, code: data?.code === undefined ? undefined : String(data.code) };
}
