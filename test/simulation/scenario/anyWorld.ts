import fc from 'fast-check';
import { oneIn } from './draw';

const { array, constant, constantFrom, integer, record } = fc;

/** Many scenarios are over after a minute. */
const at = fc.oneof(
	{ withCrossShrink: true },
	{ weight: 2, arbitrary: integer({ min: 0, max: 60 }) },
	{ weight: 1, arbitrary: integer({ min: 0, max: 400 }) },
);
export const event = fc.oneof(
	{
		weight: 3,
		arbitrary: record({
			what: constant('kill' as const),
			at,
			down: constantFrom(1, 30, 300, 3600, 90_000),
		}),
	},
	{
		weight: 2,
		arbitrary: record({
			what: constant('suspend' as const),
			at,
			for: constantFrom(10, 120, 900, 7200),
		}),
	},
	{
		weight: 3,
		arbitrary: record({
			what: constant('stepClock' as const),
			at,
			by: constantFrom(-3600, -60, 30, 3600),
		}),
	},
	{ weight: 3, arbitrary: record({ what: constant('stop' as const), at }) },
	{ weight: 2, arbitrary: record({ what: constant('deleteCredential' as const), at }) },
	{ weight: 1, arbitrary: record({ what: constant('moveService' as const), at }) },
	{
		weight: 4,
		arbitrary: record({
			what: constant('second' as const),
			at,
			key: constantFrom('same' as const, 'other' as const),
			otherModels: oneIn(3, constant(true)).map((other) => other === true),
		}),
	},
);

export const afterwards = array(
	fc.oneof(
		{ weight: 4, arbitrary: constant('retry' as const) },
		{ weight: 2, arbitrary: constant('retrySaved' as const) },
		{ weight: 2, arbitrary: constant('retryEdited' as const) },
		{ weight: 1, arbitrary: constantFrom('retryReformatted' as const, 'retryMoved' as const) },
		{ weight: 1, arbitrary: constant('again' as const) },
	),
	{ maxLength: 2 },
);

export const shape = fc.oneof(
	{ weight: 8, arbitrary: constant('sequence' as const) },
	{ weight: 2, arbitrary: constant('branches' as const) },
	{ weight: 2, arbitrary: constant('loop' as const) },
	{ weight: 3, arbitrary: constant('agent' as const) },
	{ weight: 1, arbitrary: constant('subWorkflow' as const) },
);

export const call = fc.oneof(
	{ withCrossShrink: true },
	{ weight: 2, arbitrary: constant('once' as const) },
	{ weight: 2, arbitrary: constantFrom('each' as const, 'withoutWaiting' as const) },
);
