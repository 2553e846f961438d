/**
 * Reads what n8n stores of an execution: a list of all its values, the whole first. Where a value holds a text, an object
 * or a list, it has the place of that in the list, as a text.
 */
export function unflatten(text: string): unknown {
	const stored = JSON.parse(text) as unknown[];
	const read = new Map<number, unknown>();
	const resolve = (value: unknown): unknown =>
		typeof value === 'string' ? at(Number(value)) : value;
	function at(place: number): unknown {
		const value = stored[place];
		if (typeof value !== 'object' || value === null) return value;
		if (read.has(place)) return read.get(place);
		const whole: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		read.set(place, whole);
		for (const [name, field] of Object.entries(value))
			Object.assign(whole, { [name]: resolve(field) });
		return whole;
	}
	return at(0);
}
