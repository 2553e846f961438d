import { z } from 'zod';
import { type Endpoint, FACTS } from './endpoints';
import type { Task } from './video/tasks';

interface Subject {
	model: string;
	prompt: string;
}

const chat = z.looseObject({
	model: z.string().catch(''),
	messages: z.array(z.unknown()).catch([]),
});
const userMessage = z.looseObject({ role: z.literal('user'), content: z.string() });
const submission = z.looseObject({
	model: z.string().catch(''),
	prompt: z.string().catch(''),
});

const NONE: Subject = { model: '', prompt: '' };

function ofChat(body: unknown): Subject {
	const { data } = chat.safeParse(body);
	if (!data) return NONE;
	const last = data.messages.findLast((message) => userMessage.safeParse(message).success);
	return { model: data.model, prompt: userMessage.safeParse(last).data?.content ?? '' };
}

/** The path of a task names no model. */
function ofTask(_body: unknown, task: Task | undefined): Subject {
	return { model: '', prompt: task?.prompt ?? '' };
}

const SUBJECTS = {
	chat: ofChat,
	video: (body: unknown) => submission.safeParse(body).data ?? NONE,
	task: ofTask,
	nothing: () => NONE,
};

/** The model and the prompt that a request is about, whether it is valid or not. */
export function subjectOf(endpoint: Endpoint, body: unknown, task: Task | undefined): Subject {
	return SUBJECTS[FACTS[endpoint].about](body, task);
}
