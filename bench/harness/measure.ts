import type { Sample } from './candidate';

/** A single disturbed repetition does not change it. */
export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The median of each figure. */
export function medians(samples: Sample[]): Sample {
	const figures = Object.keys(samples[0] ?? {});
	return Object.fromEntries(
		figures.map((figure) => [figure, median(samples.map((sample) => sample[figure] ?? NaN))]),
	);
}

/**
 * Wall time, and the CPU time of all threads of this process, in milliseconds. There is no garbage collection before
 * it, because a forced one discards compiled code.
 */
export async function timed(work: () => Promise<unknown>): Promise<{ wall: number; cpu: number }> {
	const cpuBefore = process.cpuUsage();
	const begin = performance.now();
	await work();
	const wall = performance.now() - begin;
	const { user, system } = process.cpuUsage(cpuBefore);
	return { wall, cpu: (user + system) / 1000 };
}

/** Runs `work` `count` times, with `atOnce` calls in flight. */
export async function inParallel(
	count: number,
	atOnce: number,
	work: (index: number) => Promise<unknown>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) await work(next++);
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
