import { startSimulator } from '../../simulator';

// A separate process, so that the memory of the simulator is not measured.
void startSimulator({
	videoSeconds: Number(process.argv[2]),
	requestsKept: 100,
	tasksKept: 5_000,
}).then(({ url }) => process.send?.(url));
