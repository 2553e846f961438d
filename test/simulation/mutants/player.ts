import { join, resolve } from 'node:path';
import { playSeed } from '../hunt';
import { usePackages } from '../play/play';

const ORIGINAL = resolve(__dirname, '../../..');

/** What is to be hunted. */
export interface Hunt {
	/** The folder of the packages with the change. */
	folder: string;
	/** Of CPU time. */
	seconds: number;
	/** Of the first scenario. */
	seed: number;
}

/** What a hunt tells, after each scenario and at its end. */
export interface Told {
	scenarios: number;
	isOver: boolean;
	/** The promise that was broken, if any. */
	promise?: string;
	how?: string;
}

/** Hunts one mutant after the other, as the parent process asks: n8n is loaded once for all of them. */
export async function playMutants(): Promise<void> {
	// n8n loads parts of itself when it first needs them.
	use(ORIGINAL);
	await playSeed(1);
	await playSeed(2);
	const tell = (told: Told) => process.send?.(told);
	process.on('message', (hunt: Hunt) => void huntMutant(hunt, tell));
	tell({ scenarios: 0, isOver: true });
}

function use(packages: string): void {
	usePackages({ undici: packages, verified: join(packages, 'dist-cloud') });
}

/** CPU time, so that a busy machine plays as many scenarios as an idle one. */
const secondsNow = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

/** Plays scenarios with the change until one breaks a promise that it keeps without the change. */
async function huntMutant(hunt: Hunt, tell: (told: Told) => void): Promise<void> {
	const { folder, seconds, seed: first } = hunt;
	const end = secondsNow() + seconds;
	let scenarios = 0;
	use(folder);
	for (let seed = first; secondsNow() < end; seed += 1) {
		const { broken } = await playSeed(seed);
		scenarios += 1;
		tell({ scenarios, isOver: false });
		if (broken.length === 0) continue;
		use(ORIGINAL);
		const known = new Set((await playSeed(seed)).broken.map(({ promise }) => promise));
		use(folder);
		const found = broken.find(({ promise }) => !known.has(promise));
		if (found === undefined) continue;
		const [how = ''] = found.how;
		return tell({ scenarios, isOver: true, promise: found.promise, how });
	}
	tell({ scenarios, isOver: true });
}
