/** What one candidate measured once, by figure. */
export type Sample = Record<string, number>;

/** The service under load. */
export interface Target {
	url: string;
	key: string;
}

/** Measures once. If a benchmark has several sizes, the size is a number of items. */
export type Measure = (size: number) => Promise<Sample>;

/** Prepares a measurement. Each candidate has its own process, so that it does not affect the others. */
export type Candidate = (target: Target) => Measure | Promise<Measure>;

/** A message to the process of a candidate. */
export type Command = { prepare: Target } | { measure: number };
