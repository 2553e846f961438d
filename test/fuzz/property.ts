import { inspect } from 'node:util';
import fc from 'fast-check';
import { GatewayError } from '../../gateway';

/** Something that holds for every input, and how to try it. */
export interface Property {
	name: string;
	/** Runs the property on this many random inputs; throws with the smallest counterexample. */
	check: (runs: number, seed: number) => Promise<void>;
}

export function property<Input>(
	name: string,
	input: fc.Arbitrary<Input>,
	holds: (input: Input) => Promise<void> | void,
): Property {
	return {
		name,
		check: async (runs, seed) => {
			await fc.assert(
				fc.asyncProperty(input, async (value) => await holds(value)),
				{ numRuns: runs, seed },
			);
		},
	};
}

/** What the work ends in: a result, or one of our errors. Throws when it is any other. */
export async function outcomeOf<Result>(
	work: () => Promise<Result> | Result,
): Promise<{ result?: Result; error?: GatewayError }> {
	try {
		return { result: await work() };
	} catch (error) {
		if (error instanceof GatewayError) return { error };
		throw new Error(`Not one of our errors: ${inspect(error)}`);
	}
}
