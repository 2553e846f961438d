import * as z from 'zod';

/** Choices, tool calls or tasks of one response: no service has as many. */
export const MAX_ENTRIES = 1_000;

/**
 * Refuses a list with too many entries before any of them is read: a kilobyte of gzip can hold a million, and to check each would
 * stop n8n for minutes. Other values pass.
 * @param entries what is counted, for the error
 */
export function counted(maximum = MAX_ENTRIES, entries = 'entries in one list') {
	return (list: unknown, context: z.RefinementCtx): void => {
		if (Array.isArray(list) && list.length > maximum)
			addTooBig(context, `it has more than ${maximum.toLocaleString('en')} ${entries}`);
	};
}

export const anyList = z.custom<unknown[]>(Array.isArray);

/** A list without its malformed entries. A list that has no others is malformed itself, or too big where an entry is. */
export function sensibleEntries<Entry>(entry: z.ZodType<Entry>) {
	return anyList.superRefine(counted()).transform((list, context): Entry[] => {
		const read = list.map((one) => entry.safeParse(one));
		const sensible = read.flatMap(({ success, data }) => (success ? [data] : []));
		if (sensible.length > 0 || list.length === 0) return sensible;
		const issues = read.flatMap(({ error }) => error?.issues ?? []);
		const inside = issues.find(({ code }) => code === 'too_big');
		if (inside) addTooBig(context, inside.message);
		else context.addIssue('no valid entry');
		return z.NEVER;
	});
}

function addTooBig(context: z.RefinementCtx, message: string): void {
	const issue = { code: 'too_big', origin: 'array', maximum: MAX_ENTRIES, input: [] } as const;
	// A check of the whole response would find no list.
	context.addIssue({ ...issue, message, continue: false });
}
