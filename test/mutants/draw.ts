import { randomOf } from '../simulation/host/random';
import type { Mutant } from './mutant';

/** @returns so many of the mutants. A seed has one order of them: a larger count begins with those of a smaller one. */
export function draw(mutants: readonly Mutant[], seed: number, count: number): Mutant[] {
	const random = randomOf(seed);
	const left = [...mutants];
	const drawn: Mutant[] = [];
	while (drawn.length < count && left.length > 0)
		drawn.push(...left.splice(Math.floor(random() * left.length), 1));
	return drawn;
}
