import * as z from 'zod';

/** A list of which the entries count that make sense; one of which none does makes no sense itself. */
export function sensibleEntries<Entry>(entry: z.ZodType<Entry>) {
	return z.array(entry.nullable().catch(null)).transform((entries, context): Entry[] => {
		const sensible = entries.filter((one) => one !== null);
		if (sensible.length > 0 || entries.length === 0) return sensible;
		context.addIssue('no entry makes sense');
		return z.NEVER;
	});
}
