import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { playSeed } from '../hunt';
import { usePackages } from '../play/play';

/** What a hunt tells: a line of JSON for each life, and one more for the first broken promise. */
export type Told =
	| { lives: number }
	| { lives: number; seed: number; promise: string; how: string };

const { values } = parseArgs({
	options: {
		/** The packages with the change, and those without. */
		mutant: { type: 'string', default: '' },
		original: { type: 'string', default: '' },
		/** Of CPU time. */
		seconds: { type: 'string', default: '60' },
		seed: { type: 'string', default: '1' },
	},
});

function use(folder: string): void {
	usePackages({ undici: folder, verified: join(folder, 'dist-cloud') });
}

function tell(told: Told): void {
	process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** CPU time, so that a busy machine plays as many lives as an idle one. */
const secondsNow = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

/** Plays lives with the change until one breaks a promise that it keeps without the change. */
export async function huntMutant(): Promise<void> {
	use(values.mutant);
	// n8n loads parts of itself when it first needs them.
	await playSeed(1);
	const end = secondsNow() + Number(values.seconds);
	const first = Number(values.seed);
	for (let seed = first; secondsNow() < end; seed += 1) {
		const lives = seed - first + 1;
		const { broken } = await playSeed(seed);
		tell({ lives });
		if (broken.length === 0) continue;
		use(values.original);
		const known = new Set((await playSeed(seed)).broken.map(({ promise }) => promise));
		use(values.mutant);
		const found = broken.find(({ promise }) => !known.has(promise));
		if (found === undefined) continue;
		const [how = ''] = found.how;
		return tell({ lives, seed, promise: found.promise, how });
	}
}
