import type { Benchmark, Result } from './benchmark';
import { Runner } from './harness/runner';

/** Runs a benchmark once. */
export async function measure(benchmark: Benchmark, profile = false): Promise<Result> {
	const runner = new Runner(benchmark, profile);
	try {
		return await benchmark.run(runner);
	} finally {
		await runner.end();
	}
}
