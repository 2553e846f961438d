/** A number with as many digits as say something: 12,345 · 123 · 12.3 · 1.23 · 0.0123. */
export function number(value: number): string {
	if (!Number.isFinite(value)) return '–';
	if (value === 0) return '0';
	const digits = Math.max(3, Math.ceil(Math.log10(Math.abs(value))));
	return value.toLocaleString('en-US', { maximumSignificantDigits: digits });
}

/** How many times another figure this one is. */
export function times(ratio: number | undefined): string {
	return ratio === undefined ? '–' : `${number(ratio)}×`;
}
