import type { FaultSpec } from '../faults/faultSpec';
import type { Settings } from '../options';
import type { VideoRequest } from '../endpoints';
import { actualDuration, type Task } from './task';
import { readTasks, writeTasks } from './tasksFile';
import { progressAt, type TaskOutcome, type TaskPlan } from './taskPlan';

export type { Task };

const RETENTION_MS = 7 * 24 * 3600 * 1000;
const QUEUED_SHARE = 0.15;
/** Each of its multiples falls into the largest gap that is left. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export type TaskStatus = 'queued' | 'processing' | 'completed' | 'failed';

type TaskSettings = Pick<
	Settings,
	'now' | 'tasksKept' | 'tasksFile' | 'newId' | 'promptName' | 'videoSeconds' | 'taskPlans'
>;

/** The video tasks. The state of a task is computed from the time of the request. */
export class TaskStore {
	readonly #tasks = new Map<string, Task>();
	/** Accepted submissions of each prompt, for plans. */
	readonly #accepted = new Map<string, number>();
	/** Submissions accepted so far. */
	submissions = 0;

	constructor(private readonly settings: TaskSettings) {
		const { tasksFile } = settings;
		if (tasksFile === undefined) return;
		for (const task of readTasks(tasksFile)) this.#tasks.set(task.id, task);
	}

	/** Creates the tasks of one submission; each is completed a little earlier than the one before. */
	create(
		request: VideoRequest,
		faults: readonly FaultSpec[],
		outcome: TaskOutcome | undefined,
	): Task[] {
		const { now, newId } = this.settings;
		const submissionId = `video-${newId()}`;
		const { model, prompt, size, duration, fps, n } = request;
		const submission = this.#planFor(prompt);
		let firstId: string | undefined;
		const tasks = Array.from({ length: submission.count ?? n }, (_, index) => {
			const plan = index > 0 && submission.onlyFirst ? { seconds: submission.seconds } : submission;
			const id = plan.sameId ? (firstId ??= idFor(plan, newId)) : idFor(plan, newId);
			return {
				id,
				reportedId: plan.changesId ? idFor(plan, newId) : id,
				submissionId,
				model,
				prompt,
				revisedPrompt: `${prompt.trim()} (on a 24" slider, soft light)`,
				format: { size, duration, fps },
				inline: request.response_format === 'b64_json',
				createdAt: now(),
				durationMs: plan.seconds * 1000 * (1 - index / 10),
				plan,
				faults: faults.map((fault) => ({ ...fault })),
				...(outcome ? { outcome } : {}),
			};
		});
		for (const task of tasks) this.#tasks.set(task.id, task).set(task.reportedId, task);
		this.submissions += 1;
		this.#deleteOldest();
		const { tasksFile } = this.settings;
		if (tasksFile !== undefined) writeTasks(tasksFile, this.all());
		return tasks;
	}

	/** The task, unless it is unknown or older than the 7 days for which the document promises to keep it. */
	find(id: string): Task | undefined {
		const task = this.#tasks.get(id);
		if (!task || this.settings.now() - task.createdAt <= RETENTION_MS) return task;
		this.#tasks.delete(id);
		return undefined;
	}

	all(): Task[] {
		return [...new Set(this.#tasks.values())];
	}

	clear(): void {
		this.#tasks.clear();
		this.#accepted.clear();
		this.submissions = 0;
	}

	#planFor(prompt: string): TaskPlan {
		const { taskPlans, videoSeconds, promptName } = this.settings;
		const name = promptName(prompt);
		const submission = (this.#accepted.get(name) ?? 0) + 1;
		if (taskPlans.length > 0) this.#accepted.set(name, submission);
		const plan = taskPlans.find(
			(each) => (each.prompt ?? name) === name && (each.attempt ?? submission) === submission,
		);
		return plan ?? { seconds: spread(videoSeconds, this.submissions) };
	}

	#deleteOldest(): void {
		const { now, tasksKept } = this.settings;
		for (const [id, task] of this.#tasks) {
			const expired = now() - task.createdAt > RETENTION_MS;
			if (!expired && this.#tasks.size <= tasksKept) return;
			this.#tasks.delete(id);
		}
	}
}

/** Its first 16 digits are above 2^53, too. */
const NUMERIC_IDS_FROM = 9_734_567_890_123_400_001n;
const MAX_DIGITS = 19;

function idFor(
	{ numericId, controlId, idDigits = MAX_DIGITS }: TaskPlan,
	newId: () => string,
): string {
	const id = newId();
	if (numericId) {
		const from = NUMERIC_IDS_FROM / 10n ** BigInt(MAX_DIGITS - idDigits);
		return String((from | 1n) + (BigInt(`0x${id}`) % 1_000_000n) * 2n);
	}
	return controlId ? `task-${id}\n\u001b[31m` : `task-${id}`;
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
export function isKnown(task: Task, now: number, lagSeconds: number): boolean {
	const { plan, createdAt } = task;
	if (endingOf(task) === 'forgotten') return false;
	const age = (now - createdAt) / 1000;
	if (age >= (plan.vanishesAfterSeconds ?? Infinity)) return false;
	return age >= (task.outcome?.lags ? lagSeconds : (plan.lagSeconds ?? 0));
}

function endingOf({ plan, outcome }: Task): TaskOutcome['ending'] {
	return outcome?.ending ?? plan.ending ?? 'completed';
}

/** When the task ends, in milliseconds since 1970. */
export function endOf(task: Task): number {
	const isEndless = endingOf(task).endsWith('forever');
	return isEndless ? Infinity : task.createdAt + task.durationMs;
}

/** Status and progress (percent) of a task at a moment. */
export function stateOf(
	task: Task,
	now: number,
): { status: TaskStatus; progress: number | undefined } {
	const ending = endingOf(task);
	const { queued = QUEUED_SHARE, progress = 'steady' } = task.plan;
	const elapsed = task.durationMs > 0 ? (now - task.createdAt) / task.durationMs : 1;
	if ((elapsed < queued && elapsed < 1) || ending === 'queued forever')
		return { status: 'queued', progress: 0 };
	if (elapsed < 1 || ending === 'processing forever') {
		const share = queued < 1 ? (Math.min(elapsed, 1) - queued) / (1 - queued) : 1;
		return { status: 'processing', progress: progressAt(progress, share) };
	}
	if (ending === 'failed') return { status: 'failed', progress: 60 };
	return { status: 'completed', progress: 100 };
}

/** The state as a poll reports it, which may be late. */
export function reportedState(task: Task, now: number) {
	const end = task.createdAt + task.durationMs;
	const isLate = now >= end && now < end + (task.plan.lateSeconds ?? 0) * 1000;
	return stateOf(task, isLate ? end - 1 : now);
}

/** Whether the file of a task exists. */
export function hasFile(task: Task, now: number): boolean {
	const { fileLagSeconds = 0 } = task.plan;
	return stateOf(task, now - fileLagSeconds * 1000).status === 'completed';
}

/** The task as a poll returns it. `origin` is where its file is served. */
export async function taskBody(
	task: Task,
	now: number,
	origin: string,
	authorization: string,
	readVideo: (task: Task) => Promise<Buffer>,
): Promise<Record<string, unknown>> {
	const { lateSeconds = 0, urlLagSeconds = 0, urlValidSeconds } = task.plan;
	const end = task.createdAt + task.durationMs;
	const { status, progress } = reportedState(task, now);
	const done = status === 'completed';
	const { size, fps } = task.format;
	const metadata = { duration: actualDuration(task.format), size, fps, format: 'mp4' };
	const hasUrl = done && now >= end + (lateSeconds + urlLagSeconds) * 1000;
	const expiry = urlValidSeconds === undefined ? '' : `?expires=${now + urlValidSeconds * 1000}`;
	const body: Record<string, unknown> = {
		id: task.reportedId,
		status,
		progress,
		url:
			hasUrl && !task.inline ? `${origin}/files/${encodeURIComponent(task.id)}.mp4${expiry}` : null,
		revised_prompt: task.revisedPrompt,
		...(done && task.inline ? { b64_json: (await readVideo(task)).toString('base64') } : {}),
		metadata,
		created_at: Math.floor(task.createdAt / 1000),
		...(done || status === 'failed' ? { completed_at: Math.floor(end / 1000) } : {}),
	};
	return task.outcome?.report?.(body, authorization) ?? body;
}
