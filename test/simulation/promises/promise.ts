import type { Played } from '../play/played';

/** What the README promises. `check` says in which ways a scenario broke it. */
export interface Promised {
	name: string;
	check: (played: Played) => string[];
}
