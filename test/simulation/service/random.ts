/** Read once: jest's global objects are slow. */
const { imul } = Math;

/**
 * Numbers from 0 to 1 that depend on the seed and on the name of what they decide, not on how many were drawn before: a
 * change elsewhere in a scenario leaves them as they are. FNV-1a, mixed as in MurmurHash3.
 */
export function namedRandom(seed: number): (name: string) => number {
	return (name) => {
		let hash = 0x811c9dc5 ^ seed;
		for (let index = 0; index < name.length; index += 1) {
			hash = imul(hash ^ name.charCodeAt(index), 0x01000193);
		}
		hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
		hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
		return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
	};
}
