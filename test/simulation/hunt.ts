import fc from 'fast-check';
import { anyLife } from './life/arbitrary';
import type { Life } from './life/schema';
import { simpler } from './life/simplify';
import { play } from './play/play';
import type { Played } from './play/played';
import { type Broken, judge } from './promises';
import { differences, variantsOf } from './promises/sameEverywhere';

/** How many smaller lives are tried to find the smallest one that breaks the same promise. */
const MAX_SHRINKS = 70;

export interface Verdict {
	seed: number;
	played: Played;
	broken: Broken[];
	/** How many lives beside it were played to compare their items. */
	variants: number;
}

/** The life of a seed. */
export function lifeOf(seed: number): Life {
	const [life] = fc.sample(anyLife, { seed, numRuns: 1 });
	if (life === undefined) throw new Error(`No life has the seed ${seed}`);
	return life;
}

export async function playSeed(seed: number): Promise<Verdict> {
	return { seed, ...(await playLife(lifeOf(seed))) };
}

export async function playLife(life: Life): Promise<Omit<Verdict, 'seed'>> {
	const played = await play(life);
	const broken = judge(played);
	const how: string[] = [];
	const variants = played.unfinished === undefined ? variantsOf(life) : [];
	for (const variant of variants) how.push(...differences(played, await play(variant)));
	if (how.length > 0) broken.push({ promise: 'The same', how });
	return { played, broken, variants: variants.length };
}

/** The smallest life found that breaks the promise as the life of this seed does. */
export async function shrink(seed: number, promise: string): Promise<Life> {
	let smallest = lifeOf(seed);
	let left = MAX_SHRINKS;
	const breaks = async (life: Life) => {
		if ((left -= 1) < 0) return false;
		const { broken } = await playLife(life);
		const isBroken = broken.some((each) => each.promise === promise);
		if (isBroken) smallest = life;
		return isBroken;
	};
	const keeps = fc.asyncProperty(anyLife, async (life) => !(await breaks(life)));
	await fc.check(keeps, { seed, numRuns: 1 });
	left = MAX_SHRINKS;
	// fast-check makes numbers and lists smaller; what it cannot leave out is left out here.
	for (let found = true; found && left > 0; ) {
		found = false;
		for (const life of simpler(smallest)) if ((found = await breaks(life))) break;
	}
	return smallest;
}
