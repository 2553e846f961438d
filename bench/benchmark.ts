import type { Contestant, Sample } from './harness/contestant';
import type { Runner } from './harness/runner';

export type { Contestant, Measure, Sample, Stage } from './harness/contestant';

/** One of our figures beside a peer's. */
export interface Comparison {
	figure: string;
	unit: string;
	ours: number;
	peer: string;
	theirs: number;
	/** Ours divided by theirs; none where theirs is nothing. */
	ratio?: number;
}

export interface Goal {
	figure: string;
	peer: string;
	/** Whether the ratio is bounded or our own figure. */
	of: 'ratio' | 'ours';
	atMost?: number;
	atLeast?: number;
}

export interface BarChart {
	title: string;
	unit: string;
	bars: Array<{ label: string; value: number; isOurs: boolean }>;
}

export interface LineChart {
	title: string;
	unit: string;
	xUnit: string;
	/** `x` is drawn on a logarithmic scale where the values ask for it. */
	lines: Array<{ label: string; isOurs: boolean; points: Array<{ x: number; y: number }> }>;
}

export type Chart = BarChart | LineChart;

export interface Outcome {
	comparisons: Comparison[];
	charts: Chart[];
	/** What else is worth knowing of this run, as sentences. */
	notes: string[];
}

/** One row of the table. */
export interface Bench {
	/** For `--only`, and for the names of files. */
	name: string;
	what: string;
	/** How it is measured, and what is left out, for who reads the table. */
	method: string;
	/** What reaching the goal cost in code. */
	cost: string;
	goals: Goal[];
	contestants: Record<string, Contestant>;
	run: (competition: Runner) => Promise<Outcome>;
}

export const OURS = 'ours';

/** What contestants measured, by their names. */
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

/** One figure of ours beside a peer's. */
export function compare(
	measured: Measured,
	figure: string,
	unit: string,
	peer: string,
): Comparison {
	const of = (name: string) => measured[name]?.[figure] ?? NaN;
	return compareNumbers(figure, unit, of(OURS), peer, of(peer));
}

/** One figure of all, as bars. */
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
