import type { PaidRun } from '../shared/book/withBook';
import type { VideoOutput } from './output';
import type { TaskLog } from './taskLog';
import type { VideoTasks } from './videoTasks';

/** What an operation works with during one run of the node. */
export interface VideoRun extends PaidRun {
	tasks: VideoTasks;
	log: TaskLog;
	output: VideoOutput;
}
