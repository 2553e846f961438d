import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** From `execute` to the request. With more, a newcomer loses the way. */
const MAX_FRAMES = 14;

test(`a chat, a submission and a poll pass at most ${MAX_FRAMES} functions of the package`, () => {
	const script = join(__dirname, 'requestFrames.cjs');
	const paths = JSON.parse(
		execFileSync(process.execPath, [script], { encoding: 'utf8' }),
	) as object;
	expect(Object.keys(paths)).toEqual(['chat', 'submission', 'poll']);
	for (const frames of Object.values(paths) as string[][])
		expect(frames.slice(MAX_FRAMES)).toEqual([]);
});
