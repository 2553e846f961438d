import { z } from 'zod';
import type { Task } from './video/task';

interface Subject {
	model: string;
	prompt: string;
}

const NONE: Subject = { model: '', prompt: '' };

const content = z.looseObject({
	model: z.string().catch(''),
	prompt: z.string().optional().catch(undefined),
	messages: z.array(z.unknown()).catch([]),
});
const userMessage = z.looseObject({ role: z.literal('user'), content: z.string() });

/** The model and the prompt that a request is about, whether it is valid or not. The path of a task names no model. */
export function subjectOf(body: unknown, task: Task | undefined): Subject {
	if (task) return { model: '', prompt: task.prompt };
	const { data } = content.safeParse(body);
	if (!data) return NONE;
	const last = data.messages.findLast((message) => userMessage.safeParse(message).success);
	const prompt = data.prompt ?? userMessage.safeParse(last).data?.content ?? '';
	return { model: data.model, prompt };
}
