import type { Simulator } from '../../../simulator';

/** The IDs of the tasks that were polled, in the order of the polls. */
export function polledTasks({ requests }: Simulator): string[] {
	return requests
		.filter(({ endpoint }) => endpoint === 'poll')
		.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
}

/** Whether so many videos are submitted, and each of them has been polled so often: then the responses before the last poll have arrived. */
export function arePolled(simulator: Simulator, tasks: number, times: number): boolean {
	const polled = polledTasks(simulator);
	const isPolled = ({ id }: { id: string }) => polled.filter((each) => each === id).length >= times;
	return simulator.tasks.length === tasks && simulator.tasks.every(isPolled);
}
