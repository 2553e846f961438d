/** Values by name, without those that are idle. */
export class Kept<Value extends { isIdle: boolean }> {
	private readonly byName = new Map<string, Value>();
	/** With so many values, the idle ones are forgotten. It doubles, so that each new value does not ask all others. */
	private full = 1;

	/** The value of this name. An idle one is replaced. */
	get(name: string, create: () => Value): Value {
		const { byName } = this;
		const known = byName.get(name);
		if (known && !known.isIdle) return known;
		if (byName.size >= this.full) {
			for (const [other, { isIdle }] of byName) if (isIdle) byName.delete(other);
			this.full = 2 * byName.size + 1;
		}
		const value = create();
		byName.set(name, value);
		return value;
	}

	/** Whether all values are. */
	get isIdle(): boolean {
		return [...this.values()].every(({ isIdle }) => isIdle);
	}

	values(): Iterable<Value> {
		return this.byName.values();
	}
}
