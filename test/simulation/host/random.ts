/** A source of random numbers that gives the same ones for the same seed (mulberry32). */
export type Random = () => number;

export function randomOf(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Fills bytes as `crypto` would. */
export function fillRandomly<Bytes extends Uint8Array>(bytes: Bytes, random: Random): Bytes {
	for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(random() * 256);
	return bytes;
}

export function uuid(random: Random): string {
	const hex = Buffer.from(fillRandomly(new Uint8Array(16), random)).toString('hex');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * Numbers from 0 to 1 that depend on the seed and on the name of what they decide, not on how many were drawn before: a
 * change elsewhere in a scenario leaves them as they are. FNV-1a, mixed as in MurmurHash3.
 */
export function namedRandom(seed: number): (name: string) => number {
	return (name) => {
		let hash = 0x811c9dc5 ^ seed;
		for (let index = 0; index < name.length; index += 1) {
			hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
		}
		hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
		hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
		return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
	};
}
