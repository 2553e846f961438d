/** The fields of a record but one; a good item, for instance, never carries a top-level `error`. */
export function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
	return Object.fromEntries(Object.entries(record).filter(([field]) => field !== name));
}
