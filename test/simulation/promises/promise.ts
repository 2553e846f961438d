import type { Played } from '../play/played';

/** A promise as docs/promises.md tells it, in sentences. */
export interface Told {
	name: string;
	says: string;
	/** When it does not hold. */
	except: readonly string[];
	/** Tests that play it besides the simulation: paths of the project. */
	alsoKeptBy: readonly string[];
}

/** `check` says in which ways a scenario broke the promise. */
export interface Promised extends Told {
	check: (played: Played) => string[];
}
