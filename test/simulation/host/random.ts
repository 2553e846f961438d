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
