import { inspect } from 'node:util';
import fc from 'fast-check';
import { GatewayError } from '../../gateway';

/** Each run draws new inputs, from a seed that a failure tells: few for the tests, many more for `npm run fuzz`. */
const { FUZZ_RUNS, FUZZ_SEED } = process.env;

/**
 * Tests that something holds for every input; what does not is shown with the smallest one.
 * @param share of the usual number of inputs, for what takes long
 */
export function property<Input>(
	name: string,
	input: fc.Arbitrary<Input>,
	holds: (input: Input) => Promise<void> | void,
	share = 1,
): void {
	const numRuns = Math.ceil(Number(FUZZ_RUNS ?? 200) * share);
	test(name, async () => {
		await fc.assert(
			fc.asyncProperty(input, async (value) => await holds(value)),
			{ numRuns, ...(FUZZ_SEED !== undefined && { seed: Number(FUZZ_SEED) }) },
		);
	});
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
