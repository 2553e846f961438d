import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import n8nCore from 'n8n-core/package.json';
import { z } from 'zod';
import type { Build, Goal, Result } from '../benchmark';
import { RESULTS } from '../harness/paths';

const FILE = join(RESULTS, 'results.json');

const barChart = z.object({
	title: z.string(),
	unit: z.string(),
	bars: z.array(z.object({ label: z.string(), value: z.number(), isOurs: z.boolean() })),
});
const comparison = z.object({
	figure: z.string(),
	unit: z.string(),
	verified: z.number(),
	undici: z.number(),
	peer: z.string(),
	theirs: z.number(),
});
const result = z.object({
	comparisons: z.array(comparison),
	charts: z.array(barChart),
	notes: z.array(z.string()),
}) satisfies z.ZodType<Result>;

const resultsSchema = z.object({
	node: z.string(),
	engine: z.string(),
	cores: z.number(),
	/** The load average of the last 15 minutes. */
	load: z.number().default(0),
	benchmarks: z.record(z.string(), result),
});

export type Results = z.infer<typeof resultsSchema>;

/** The results of the latest run; empty if there was none. */
export function readResults(): Results {
	const machine = {
		node: process.version,
		engine: n8nCore.version,
		cores: cpus().length,
		load: Math.round(loadavg()[2] ?? 0),
	};
	if (!existsSync(FILE)) return { ...machine, benchmarks: {} };
	const { benchmarks } = resultsSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')));
	return { ...machine, benchmarks };
}

export function writeResults(results: Results): void {
	mkdirSync(RESULTS, { recursive: true });
	writeFileSync(FILE, `${JSON.stringify(results, undefined, '\t')}\n`);
}

/** The figure of a build as its goal bounds it: divided by a peer's of the same run, or itself; NaN if it was not measured. */
export function valueOf(
	{ figure, peer, of }: Goal,
	build: Build,
	measured: Pick<Result, 'comparisons'> | undefined,
): number {
	const found = measured?.comparisons.find((one) => one.figure === figure && one.peer === peer);
	if (found === undefined) return NaN;
	return of === 'ratio' ? found[build] / found.theirs : found[build];
}

/** Whether a figure meets its goal. */
export function isMet({ atMost = Infinity, atLeast = -Infinity }: Goal, value: number): boolean {
	return value <= atMost && value >= atLeast;
}
