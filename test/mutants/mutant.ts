import { z } from 'zod';

/** A change of the sources that tests or simulation must notice. */
export const mutant = z.object({
	/** Switches it on. */
	id: z.string(),
	file: z.string(),
	line: z.number(),
	/** What StrykerJS calls the kind of change, or what a person wrote goes wrong. */
	kind: z.string(),
	from: z.string(),
	to: z.string(),
});

export type Mutant = z.infer<typeof mutant>;

/** CPU seconds that scenarios get to find a mutant. */
export const SECONDS = 60;
/** What the scenarios from seed 1 up to this one do not execute is out of the reach of the simulation. */
export const REACH = 500;

/** What the simulation finds out about a mutant. */
export const verdict = z.object({
	/** Whether scenarios execute it. */
	isReached: z.boolean(),
	/** The promise that a scenario broke, after so many CPU seconds. */
	found: z.object({ seed: z.number(), promise: z.string(), seconds: z.number() }).optional(),
	/** The kept scenario that broke a promise, if none that is drawn did. It is a test: somebody chose it. */
	test: z.string().optional(),
});

export type Verdict = z.infer<typeof verdict>;

/** What the process that plays scenarios tells. Without a verdict: that it goes on. */
export const told = z.object({ verdict: verdict.optional() });

export type Told = z.infer<typeof told>;

/** What became of a mutant. */
export const result = verdict.extend({
	id: z.string(),
	/** The test that failed first, or null if none did. Tests are played only if no scenario found the mutant. */
	test: z.string().nullish(),
});

export type Result = z.infer<typeof result>;
