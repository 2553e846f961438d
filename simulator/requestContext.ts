import type { RandomRefusals, Settings } from './options';
import type { LimitExceeded } from './rateLimit';
import type { ReceivedRequest } from './requestLog';
import type { TaskOutcome } from './video/taskPlan';
import type { Task, TaskStatus, TaskStore } from './video/tasks';

/** One request on its way through the service, and what became of it. */
export interface RequestContext extends ReceivedRequest {
	origin: string;
	text: string;
	authorization: string;
	key: string;
	model: string;
	/** What the prompt is called, also of the task that is polled or downloaded; of a chat, the last user message. */
	prompt: string;
	rawPrompt: string;
	/** In the path of a poll or a download. */
	taskId: string;
	/** The task that is polled or downloaded. */
	task: Task | undefined;
	/** The how many-th request it is to this endpoint for its prompt or task. */
	attempt: number;
	/** How the tasks of this submission end under a fault. */
	outcome?: TaskOutcome;
	/** The service did what is billed. */
	accepted: boolean;
	/** The status that this poll reports. */
	reported?: TaskStatus;
	/** The tasks of this submission. */
	tasks?: readonly Task[];
	/** Chat tokens that it used. */
	tokens?: number;
	/** The limit that refused it. */
	exceeded?: LimitExceeded;
	/** The refusal by chance. */
	refused?: RandomRefusals;
	/** The name of the fault that was played on it. */
	fault?: string;
	/** It counts against the limits until its response is complete. */
	isCounted: boolean;
}

/** What the service knows between requests. */
export interface ServiceState {
	readonly settings: Settings;
	readonly tasks: TaskStore;
	readonly readVideo: (task: Task) => Promise<Buffer>;
	/** Chat completions made so far. */
	completions: number;
}
