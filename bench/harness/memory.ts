const BYTES_PER_MIB = 1024 ** 2;
const SAMPLE_MS = 20;

/** What lies in the memory of this process after a garbage collection: V8's heap, and buffers outside of it. */
export function heldMiB(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / BYTES_PER_MIB;
}

/** By how much the resident set of this process grows at most while the work is done, and its buffers. */
export async function peakGrowthMiB(work: () => Promise<unknown>) {
	collectGarbage();
	const before = process.memoryUsage();
	const peak = { ...before };
	const sample = () => {
		const { rss, arrayBuffers } = process.memoryUsage();
		peak.rss = Math.max(peak.rss, rss);
		peak.arrayBuffers = Math.max(peak.arrayBuffers, arrayBuffers);
	};
	const timer = setInterval(sample, SAMPLE_MS);
	await work().finally(() => clearInterval(timer));
	sample();
	return {
		resident: (peak.rss - before.rss) / BYTES_PER_MIB,
		buffers: (peak.arrayBuffers - before.arrayBuffers) / BYTES_PER_MIB,
	};
}

/** Contestants run with --expose-gc: what memory is measured must not hold the garbage of the repetition before. */
function collectGarbage(): void {
	globalThis.gc?.();
}
