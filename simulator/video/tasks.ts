import { randomBytes } from 'node:crypto';
import type { TaskOutcome } from '../faults/fault';
import type { FaultSpec } from '../faults/faultSpec';
import type { VideoRequest } from '../requests';
import { readTasks, writeTasks } from './tasksFile';
import { sceneOf } from './scene';
import { mp4File, actualDuration, type VideoFormat } from './mp4';

const RETENTION_MS = 7 * 24 * 3600 * 1000;
const QUEUED_SHARE = 0.15;
/** Each of its multiples falls into the largest gap that is left. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export type TaskStatus = 'queued' | 'processing' | 'completed' | 'failed';

export interface Task {
	id: string;
	submissionId: string;
	model: string;
	prompt: string;
	revisedPrompt: string;
	format: VideoFormat;
	/** The task contains the video as base64 instead of a URL. */
	inline: boolean;
	/** Milliseconds since 1970. */
	createdAt: number;
	/** How long it takes. */
	durationMs: number;
	/** How it ends under a fault. */
	outcome?: TaskOutcome;
	/** Faults that its prompt asks for on its polls and its download. */
	faults: readonly FaultSpec[];
}

/** The video tasks. The state of a task is computed from the time of the request. */
export class TaskStore {
	readonly #tasks = new Map<string, Task>();
	/** Submissions accepted so far. */
	submissions = 0;

	constructor(
		private readonly now: () => number,
		private readonly maxTasks: number,
		private readonly file: string | undefined,
	) {
		if (file === undefined) return;
		for (const task of readTasks(file)) this.#tasks.set(task.id, task);
	}

	/** Creates the `n` tasks of one submission; each is completed a little earlier than the one before. */
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
			format: { size, duration, fps },
			inline: request.response_format === 'b64_json',
			createdAt: this.now(),
			durationMs: seconds * 1000 * (1 - index / 10),
			faults: faults.map((fault) => ({ ...fault })),
			...(outcome ? { outcome } : {}),
		}));
		for (const task of tasks) this.#tasks.set(task.id, task);
		this.submissions += 1;
		this.#deleteOldest();
		if (this.file !== undefined) writeTasks(this.file, this.all());
		return tasks;
	}

	/** The task, unless it is unknown or older than the 7 days for which the document promises to keep it. */
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

	#deleteOldest(): void {
		for (const [id, task] of this.#tasks) {
			const expired = this.now() - task.createdAt > RETENTION_MS;
			if (!expired && this.#tasks.size <= this.maxTasks) return;
			this.#tasks.delete(id);
		}
	}
}

/** How many seconds the next task takes. With a range, any number of tasks is spread evenly over it. */
export function spread(
	seconds: number | readonly [from: number, to: number],
	tasksBefore: number,
): number {
	if (typeof seconds === 'number') return seconds;
	const [from, to] = seconds;
	return from + (to - from) * ((tasksBefore * GOLDEN_RATIO) % 1);
}

/** Whether a poll finds the task: the replica that answers it may lag behind the submission. */
export function isKnown({ outcome, createdAt }: Task, now: number, lagSeconds: number): boolean {
	if (outcome?.ending === 'forgotten') return false;
	return !outcome?.lags || now - createdAt >= lagSeconds * 1000;
}

/** Status and progress (percent) of a task at a moment. */
export function stateOf(task: Task, now: number): { status: TaskStatus; progress: number } {
	const ending = task.outcome?.ending;
	const elapsed = task.durationMs > 0 ? (now - task.createdAt) / task.durationMs : 1;
	if (elapsed < QUEUED_SHARE || ending === 'queued forever')
		return { status: 'queued', progress: 0 };
	if (elapsed < 1 || ending === 'processing forever') {
		const done = (Math.min(elapsed, 1) - QUEUED_SHARE) / (1 - QUEUED_SHARE);
		return { status: 'processing', progress: Math.max(1, Math.min(99, Math.floor(done * 100))) };
	}
	if (ending === 'failed') return { status: 'failed', progress: 60 };
	return { status: 'completed', progress: 100 };
}

/** The task as a poll returns it. `origin` is where its file is served. */
export async function taskBody(
	task: Task,
	now: number,
	origin: string,
	authorization: string,
): Promise<Record<string, unknown>> {
	const { status, progress } = stateOf(task, now);
	const done = status === 'completed';
	const { size, fps } = task.format;
	const metadata = { duration: actualDuration(task.format), size, fps, format: 'mp4' };
	const finished = Math.floor((task.createdAt + task.durationMs) / 1000);
	const body: Record<string, unknown> = {
		id: task.id,
		status,
		progress,
		url: done && !task.inline ? `${origin}/files/${task.id}.mp4` : null,
		...(done && task.inline
			? { b64_json: (await mp4File(task.format, sceneOf(task.prompt))).toString('base64') }
			: {}),
		revised_prompt: task.revisedPrompt,
		metadata,
		created_at: Math.floor(task.createdAt / 1000),
		...(done || status === 'failed' ? { completed_at: finished } : {}),
	};
	return task.outcome?.report?.(body, authorization) ?? body;
}
