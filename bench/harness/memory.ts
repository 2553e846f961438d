const BYTES_PER_MIB = 1024 ** 2;
const SAMPLE_MS = 20;

/** The memory that this process uses after a garbage collection: V8's heap and external buffers. */
export function retainedMiB(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / BYTES_PER_MIB;
}

/** The peak growth of the resident set and of all buffers during the work. */
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

/** Candidates run with --expose-gc: the garbage of one repetition must not count in the next. */
function collectGarbage(): void {
	globalThis.gc?.();
}
