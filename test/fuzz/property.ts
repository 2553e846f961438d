import { inspect } from 'node:util';
import fc from 'fast-check';
import { GatewayError } from '../../gateway';

/** A property that holds for every input. */
export interface Property {
	name: string;
	/** Checks the property with this many random inputs. Throws with a minimal counterexample. */
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

/** The result, or the GatewayError. Throws on any other error. */
export async function outcomeOf<Result>(
	work: () => Promise<Result> | Result,
): Promise<{ result?: Result; error?: GatewayError }> {
	try {
		return { result: await work() };
	} catch (error) {
		if (error instanceof GatewayError) return { error };
		throw new Error(`Not a GatewayError: ${inspect(error)}`);
	}
}
