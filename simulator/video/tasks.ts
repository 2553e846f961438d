import { randomBytes } from 'node:crypto';
import type { TaskOutcome } from '../faults/fault';
import type { FaultSpec } from '../faults/faultSpec';
import type { VideoRequest } from '../requests';
import { film, filmDuration, type FilmOrder } from './film';

const RETENTION_MS = 7 * 24 * 3600 * 1000;
const QUEUED_SHARE = 0.15;
/** Its multiples fall into the largest gap left, each time. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export type TaskStatus = 'queued' | 'processing' | 'completed' | 'failed';

export interface Task {
	id: string;
	submissionId: string;
	model: string;
	prompt: string;
	revisedPrompt: string;
	order: FilmOrder;
	/** The task contains the video as base64, not as a URL. */
	inline: boolean;
	/** Milliseconds since 1970. */
	createdAt: number;
	/** How long it takes. */
	durationMs: number;
	/** How it ends, when not well. */
	outcome?: TaskOutcome;
	/** Faults its prompt orders for its polls and its download. */
	faults: readonly FaultSpec[];
}

/** The video tasks; their state is computed from the time of each request. */
export class TaskStore {
	readonly #tasks = new Map<string, Task>();
	/** Submissions accepted so far. */
	submissions = 0;

	constructor(
		private readonly now: () => number,
		private readonly kept: number,
	) {}

	/** Makes the `n` tasks of one submission; each but the first is done a little earlier. */
	create(
		request: VideoRequest,
		seconds: number,
		faults: readonly FaultSpec[],
		outcome: TaskOutcome | undefined,
	): Task[] {
		const submissionId = `video-${randomBytes(12).toString('hex')}`;
		const { model, prompt, size, duration, fps, n } = request;
		const tasks = Array.from({ length: n }, (_, index) => ({
			id: `task-${randomBytes(12).toString('hex')}`,
			submissionId,
			model,
			prompt,
			revisedPrompt: `${prompt.trim()} (steady camera, soft light)`,
			order: { size, duration, fps },
			inline: request.response_format === 'b64_json',
			createdAt: this.now(),
			durationMs: seconds * 1000 * (1 - index / 10),
			faults: faults.map((fault) => ({ ...fault })),
			...(outcome ? { outcome } : {}),
		}));
		for (const task of tasks) this.#tasks.set(task.id, task);
		this.submissions += 1;
		this.#forgetOldest();
		return tasks;
	}

	/** The task, unless it is unknown or older than the 7 days the document promises. */
	find(id: string): Task | undefined {
		const task = this.#tasks.get(id);
		if (!task || this.now() - task.createdAt <= RETENTION_MS) return task;
		this.#tasks.delete(id);
		return undefined;
	}

	all(): Task[] {
		return [...this.#tasks.values()];
	}

	clear(): void {
		this.#tasks.clear();
		this.submissions = 0;
	}

	#forgetOldest(): void {
		for (const [id, task] of this.#tasks) {
			const expired = this.now() - task.createdAt > RETENTION_MS;
			if (!expired && this.#tasks.size <= this.kept) return;
			this.#tasks.delete(id);
		}
	}
}

/** How long the next task takes: tasks of a range are spread over it evenly, whatever their number. */
export function spread(
	seconds: number | readonly [from: number, to: number],
	tasksBefore: number,
): number {
	if (typeof seconds === 'number') return seconds;
	const [from, to] = seconds;
	return from + (to - from) * ((tasksBefore * GOLDEN_RATIO) % 1);
}

/** Whether the status query knows the task: a replica that answers it may lag behind the submission. */
export function isKnown({ outcome, createdAt }: Task, now: number, lagSeconds: number): boolean {
	if (outcome?.ending === 'forgotten') return false;
	return !outcome?.lags || now - createdAt >= lagSeconds * 1000;
}

/** Status and progress (percent) of a task at a moment. */
export function stateOf(task: Task, now: number): { status: TaskStatus; progress: number } {
	const ending = task.outcome?.ending;
	const share = task.durationMs > 0 ? (now - task.createdAt) / task.durationMs : 1;
	if (share < QUEUED_SHARE || ending === 'queued forever') return { status: 'queued', progress: 0 };
	if (share < 1 || ending === 'processing forever') {
		const done = (Math.min(share, 1) - QUEUED_SHARE) / (1 - QUEUED_SHARE);
		return { status: 'processing', progress: Math.max(1, Math.min(99, Math.floor(done * 100))) };
	}
	if (ending === 'failed') return { status: 'failed', progress: 60 };
	return { status: 'completed', progress: 100 };
}

/** The task as the status query answers it. `origin` is where its file is served. */
export async function taskBody(
	task: Task,
	now: number,
	origin: string,
	authorization: string,
): Promise<Record<string, unknown>> {
	const { status, progress } = stateOf(task, now);
	const done = status === 'completed';
	const { size, fps } = task.order;
	const metadata = { duration: filmDuration(task.order), size, fps, format: 'mp4' };
	const finished = Math.floor((task.createdAt + task.durationMs) / 1000);
	const body: Record<string, unknown> = {
		id: task.id,
		status,
		progress,
		url: done && !task.inline ? `${origin}/files/${task.id}.mp4` : null,
		...(done && task.inline ? { b64_json: (await film(task.order)).toString('base64') } : {}),
		revised_prompt: task.revisedPrompt,
		metadata,
		created_at: Math.floor(task.createdAt / 1000),
		...(done || status === 'failed' ? { completed_at: finished } : {}),
	};
	return task.outcome?.report?.(body, authorization) ?? body;
}
