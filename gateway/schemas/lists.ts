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

/** A field that nothing is lost without: of another type, it counts as not sent. */
export const spare = <Schema extends z.ZodType>(schema: Schema) =>
	schema.optional().catch(undefined);

/** The fields of a table, each of which nothing is lost without. */
export function spares<Shape extends Record<string, z.ZodType>>(shape: Shape) {
	const fields = Object.entries(shape).map(([name, field]) => [name, spare(field)]);
	return Object.fromEntries(fields) as {
		[Name in keyof Shape]: ReturnType<typeof spare<Shape[Name]>>;
	};
}

/** The fields of a table, each of which may be null. */
export function orNull<Shape extends Record<string, z.ZodType>>(shape: Shape) {
	const fields = Object.entries(shape).map(([name, field]) => [name, field.nullable()]);
	return Object.fromEntries(fields) as { [Name in keyof Shape]: z.ZodNullable<Shape[Name]> };
}

/** A resource: as the document shows it and nothing else, and with all that does not lose a paid answer. */
export interface ResourceSchema<Resource> {
	exact?: z.ZodType<NoInfer<Resource>>;
	lenient: z.ZodType<Resource>;
}

/**
 * Reads a value as a resource: what the document shows stays the same object, and the door is for anything else.
 * @param from the door of the resource
 */
export function readAs<Resource>(
	value: unknown,
	{ exact, lenient }: ResourceSchema<Resource>,
	from: (value: unknown) => unknown,
): z.ZodSafeParseResult<Resource> {
	if (exact && isExactly(value, exact)) return { success: true, data: value };
	return lenient.safeParse(from(value));
}

const isExactly = <Resource>(value: unknown, exact: z.ZodType<Resource>): value is Resource =>
	exact.safeParse(value).success;

/** A list with an entry or more, counted before any of them is read. */
export const listOf = <Entry extends z.ZodType>(entry: Entry) =>
	anyList.superRefine(counted()).pipe(z.array(entry).min(1));

export function addTooBig(context: z.RefinementCtx, message: string): void {
	const issue = { code: 'too_big', origin: 'array', maximum: MAX_ENTRIES, input: [] } as const;
	// A check of the whole response would find no list.
	context.addIssue({ ...issue, message, continue: false });
}
