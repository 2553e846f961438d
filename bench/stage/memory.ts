import { collectGarbage } from './measure';

const BYTES_PER_MIB = 1024 ** 2;
const SAMPLE_MS = 20;

/** What lies in the memory of this process after a garbage collection: V8's heap, and buffers outside of it. */
export function heldMiB(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / BYTES_PER_MIB;
}

/** By how much the resident set of this process grows at most while the work is done. */
export async function peakGrowthMiB(work: () => Promise<unknown>): Promise<number> {
	collectGarbage();
	const before = process.memoryUsage.rss();
	let peak = before;
	const sample = () => {
		peak = Math.max(peak, process.memoryUsage.rss());
	};
	const timer = setInterval(sample, SAMPLE_MS);
	await work().finally(() => clearInterval(timer));
	sample();
	return (peak - before) / BYTES_PER_MIB;
}
