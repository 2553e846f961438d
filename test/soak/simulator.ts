import { startSimulator } from '../../simulator';

// The service in a process of its own, so that its memory is not counted.
void startSimulator({
	videoSeconds: Number(process.argv[2]),
	requestsKept: 100,
	tasksKept: 5_000,
}).then(({ url }) => process.send?.(url));
