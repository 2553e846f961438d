import type { Service } from '../shared/run/connect';
import { RunHints } from '../shared/form/hints';
import { Submissions } from './submissions';
import type { TaskLog } from './taskLog';
import { VideoTasks } from './videoTasks';

/** What an operation works with during one run of the node. */
export interface VideoRun {
	service: Service;
	submissions: Submissions;
	tasks: VideoTasks;
	log: TaskLog;
	/** Shown when the run is over. */
	hints: RunHints;
}

export function openRun(service: Service, log: TaskLog): VideoRun {
	const hints = new RunHints('video');
	return {
		service,
		submissions: new Submissions(service, log, hints),
		tasks: new VideoTasks(service, log, hints),
		log,
		hints,
	};
}
