import { z } from 'zod';

/** What became of the scenarios that `npm test` plays. */
export const checkReport = z.object({
	scenarios: z.number(),
	requests: z.number(),
	/** Promises that fixed seeds break, by seed. */
	seeds: z.record(z.string(), z.array(z.string())),
	/** Those that they are known to break. */
	known: z.record(z.string(), z.array(z.string())),
	found: z.array(
		z.object({ name: z.string(), expected: z.string().optional(), broken: z.array(z.string()) }),
	),
	/** Seeds whose second scenario differed from the first. */
	unlike: z.array(z.string()),
});

export type CheckReport = z.infer<typeof checkReport>;
