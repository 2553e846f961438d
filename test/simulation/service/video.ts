/** The first box of an MP4: what tells a video from a page. */
const FTYP = Buffer.from([
	0,
	0,
	0,
	24,
	...Buffer.from('ftypisom'),
	0,
	0,
	2,
	0,
	...Buffer.from('isommp41'),
]);
const SIZE = 256;
/** As base64, more than the nodes keep in memory. */
const LARGE_SIZE = 200 * 1024;

/** The file of a task: small, if it is not to be large, and like no other. */
export function videoOf(taskId: string, isLarge = false): Buffer {
	return Buffer.concat([FTYP, Buffer.from(taskId)], isLarge ? LARGE_SIZE : SIZE);
}
