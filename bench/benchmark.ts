import type { Candidate, Sample } from './harness/candidate';
import type { Runner } from './harness/runner';

export type { Candidate, Measure, Sample, Target } from './harness/candidate';

/** What `npm install` gives, and the build for many requests a second, as the names of candidates. */
export const BUILDS = { verified: 'verified build', undici: 'undici build' } as const;
export type Build = keyof typeof BUILDS;

/** The figure of both builds compared with a peer's. */
export interface Comparison extends Record<Build, number> {
	figure: string;
	unit: string;
	peer: string;
	theirs: number;
}

export interface Goal {
	figure: string;
	peer: string;
	builds: Build[];
	/** What is bounded: the figure divided by the peer's, or the figure itself. */
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

export interface Result {
	comparisons: Comparison[];
	charts: BarChart[];
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
	goals: Goal[];
	candidates: Record<string, Candidate>;
	run: (runner: Runner) => Promise<Result>;
}

/** Samples by candidate. */
export type Measured = Record<string, Sample>;

/** One candidate for each build. */
export function ofBothBuilds(make: (build: Build) => Candidate): Record<string, Candidate> {
	return {
		[BUILDS.verified]: make('verified'),
		[BUILDS.undici]: make('undici'),
	};
}

/** Compares one figure of both builds with a peer's. */
export function compare(
	measured: Measured,
	figure: string,
	unit: string,
	peer: string,
): Comparison {
	const of = (name: string) => measured[name]?.[figure] ?? NaN;
	const [verified, undici] = [of(BUILDS.verified), of(BUILDS.undici)];
	return { figure, unit, verified, undici, peer, theirs: of(peer) };
}

/** One figure of all candidates, as bars. */
export function bars(measured: Measured, figure: string, title: string, unit: string): BarChart {
	const ours: string[] = Object.values(BUILDS);
	return {
		title,
		unit,
		bars: Object.entries(measured).map(([label, sample]) => ({
			label,
			value: sample[figure] ?? NaN,
			isOurs: ours.includes(label),
		})),
	};
}
