/** A number with three significant digits, or all digits of its integer part: 12,345 · 123 · 12.3 · 1.23 · 0.0123. */
export function number(value: number): string {
	if (!Number.isFinite(value)) return '–';
	if (value === 0) return '0';
	const digits = Math.max(3, Math.ceil(Math.log10(Math.abs(value))));
	return value.toLocaleString('en-US', { maximumSignificantDigits: digits });
}

/** A ratio: `2.5×`. */
export function times(ratio: number | undefined): string {
	return ratio === undefined ? '–' : `${number(ratio)}×`;
}
