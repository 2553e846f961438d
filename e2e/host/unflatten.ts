/**
 * Reads the format in which n8n stores an execution (flatted): a list of all values, the root first. Strings, objects and
 * arrays inside a value are replaced by their index in the list, as a string.
 */
export function unflatten(text: string): unknown {
	const stored = JSON.parse(text) as unknown[];
	const read = new Map<number, unknown>();
	const resolve = (value: unknown): unknown =>
		typeof value === 'string' ? at(Number(value)) : value;
	function at(index: number): unknown {
		const value = stored[index];
		if (typeof value !== 'object' || value === null) return value;
		if (read.has(index)) return read.get(index);
		const whole: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		read.set(index, whole);
		for (const [name, field] of Object.entries(value))
			Object.assign(whole, { [name]: resolve(field) });
		return whole;
	}
	return at(0);
}
