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

/** The file of a task: small, and like no other. */
export function videoOf(taskId: string): Buffer {
	return Buffer.concat([FTYP, Buffer.from(taskId)], SIZE);
}
