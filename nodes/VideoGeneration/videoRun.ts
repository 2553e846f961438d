import type { PaidRun } from '../shared/ledger/withLedger';
import type { Service } from '../shared/run/connect';
import { RunHints } from '../shared/form/hints';
import type { Submitted } from './tasks/record';
import { Submissions } from './submission/submissions';
import type { TaskLog } from './tasks/taskLog';
import { VideoTasks } from './tasks/videoTasks';

/** What an operation works with during one run of the node. */
export interface VideoRun {
	service: Service;
	submissions: Submissions;
	tasks: VideoTasks;
	log: TaskLog;
	/** Shown when the run is over. */
	hints: RunHints;
}

export function openRun(paid: PaidRun<Submitted>, log: TaskLog): VideoRun {
	const hints = new RunHints('video');
	const { service } = paid;
	return {
		service,
		submissions: new Submissions(paid, log, hints),
		tasks: new VideoTasks(service, log, hints),
		log,
		hints,
	};
}
