import * as z from 'zod';

/** A list without its malformed entries; one with no other entries is malformed itself. */
export function sensibleEntries<Entry>(entry: z.ZodType<Entry>) {
	return z.array(entry.nullable().catch(null)).transform((entries, context): Entry[] => {
		const sensible = entries.filter((one) => one !== null);
		if (sensible.length > 0 || entries.length === 0) return sensible;
		context.addIssue('no valid entry');
		return z.NEVER;
	});
}
