import type { Service } from '../shared/connect';
import type { Submissions } from './submissions';
import type { VideoTasks } from './videoTasks';

/** What an operation works with during one execution of the node. */
export interface Run {
	submissions: Submissions;
	tasks: VideoTasks;
}

export type OpenRun = (service: Service) => Run;
