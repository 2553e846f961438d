import type { Candidate, Sample } from './harness/candidate';
import type { Runner } from './harness/runner';

export type { Candidate, Measure, Sample, Target } from './harness/candidate';

/** One of our figures compared with a peer's. */
export interface Comparison {
	figure: string;
	unit: string;
	ours: number;
	peer: string;
	theirs: number;
	/** Ours divided by theirs; absent if theirs is 0. */
	ratio?: number;
}

export interface Goal {
	figure: string;
	peer: string;
	/** What is bounded: the ratio, or our own figure. */
	of: 'ratio' | 'ours';
	atMost?: number;
	atLeast?: number;
	/** What two runs on a quiet machine may differ by: the ratio of their figures. Default 1.05. */
	noise?: number;
}

/** CPU time, and what depends on it, differs so much between two hours of a machine of two shared cores (measured). */
export const CPU_NOISE = 1.25;

export interface BarChart {
	title: string;
	unit: string;
	bars: Array<{ label: string; value: number; isOurs: boolean }>;
}

export interface LineChart {
	title: string;
	unit: string;
	xUnit: string;
	/** `x` is drawn on a logarithmic scale. */
	lines: Array<{ label: string; isOurs: boolean; points: Array<{ x: number; y: number }> }>;
}

export type Chart = BarChart | LineChart;

export interface Result {
	comparisons: Comparison[];
	charts: Chart[];
	/** Other results of this run, as sentences. */
	notes: string[];
}

/** What is measured, by which candidates, and the goals. */
export interface Benchmark {
	/** For `--only` and for file names. */
	name: string;
	title: string;
	/** How it is measured, for readers of the page. */
	method: string;
	/** How much code the goal took. */
	cost: string;
	goals: Goal[];
	candidates: Record<string, Candidate>;
	run: (runner: Runner) => Promise<Result>;
}

export const OURS = 'ours';

/** Samples by candidate. */
export type Measured = Record<string, Sample>;

export function compareNumbers(
	figure: string,
	unit: string,
	ours: number,
	peer: string,
	theirs: number,
): Comparison {
	return { figure, unit, ours, peer, theirs, ...(theirs !== 0 && { ratio: ours / theirs }) };
}

/** Compares one figure of ours with a peer's. */
export function compare(
	measured: Measured,
	figure: string,
	unit: string,
	peer: string,
): Comparison {
	const of = (name: string) => measured[name]?.[figure] ?? NaN;
	return compareNumbers(figure, unit, of(OURS), peer, of(peer));
}

/** One figure of all candidates, as bars. */
export function bars(measured: Measured, figure: string, title: string, unit: string): BarChart {
	return {
		title,
		unit,
		bars: Object.entries(measured).map(([label, sample]) => ({
			label,
			value: sample[figure] ?? NaN,
			isOurs: label.startsWith(OURS),
		})),
	};
}
