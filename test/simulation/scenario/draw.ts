import fc from 'fast-check';

/** Absent in all but one of so many draws, and when a scenario shrinks. */
export const oneIn = <Value>(draws: number, arbitrary: fc.Arbitrary<Value>) =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: draws - 1, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary },
	);

/** Without the fields that were not drawn. */
export function defined(fields: object): object {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A record without the fields that were not drawn. */
export const present = <Fields extends object>(arbitrary: fc.Arbitrary<Fields>) =>
	arbitrary.map(
		(fields) => defined(fields) as { [Name in keyof Fields]: Exclude<Fields[Name], undefined> },
	);
