import { availableParallelism, loadavg } from 'node:os';

/** How many times as long something may take now as on a quiet machine. */
export function patience(): number {
	const [load = 0] = loadavg();
	return Math.max(1, load / availableParallelism());
}
