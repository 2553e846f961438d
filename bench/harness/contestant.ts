/** What one contestant measured once, by the name of the figure. */
export type Sample = Record<string, number>;

/** Where the service of a bench is, for those who measure. */
export interface Stage {
	url: string;
	key: string;
}

/** Measures once. The size, where a bench has several, is a number of items. */
export type Measure = (size: number) => Promise<Sample>;

/** Gets ready in a process of its own; what it loads there burdens nobody else. */
export type Contestant = (stage: Stage) => Measure | Promise<Measure>;

/** What the process of a contestant is told. */
export type Task = { prepare: Stage } | { measure: number };
