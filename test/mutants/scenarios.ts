import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadN8n, playSeed } from '../simulation/hunt';
import { usePackages } from '../simulation/play/packages';
import { REACH, SECONDS, type Told, type Verdict } from './mutant';
import { OUTPUT, PROJECT } from './folders';

const RECORD = join(OUTPUT, 'scenarios.json');

/** A scenario without a mutant. */
const scenario = z.object({
	seed: z.number(),
	/** Of CPU time. */
	seconds: z.number(),
	broken: z.array(z.string()),
	/** The mutants that it executes. */
	ids: z.array(z.string()),
});

let active = '';
let executed = new Set<string>();
Object.assign(globalThis, {
	mutants: {
		isActive: (id: string) => id === active,
		covers: (...ids: string[]) => {
			if (active === '') for (const id of ids) executed.add(id);
		},
	},
});

/** CPU time, so that a busy machine plays as many scenarios as an idle one. */
const secondsNow = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const tell = (message: Told) => process.send?.(message);

/** Plays one mutant after the other, as the parent process asks: n8n is loaded once for all of them. */
export async function playMutants(): Promise<void> {
	usePackages({ undici: PROJECT, verified: join(PROJECT, 'dist-cloud') });
	await loadN8n();
	if (!existsSync(RECORD)) writeFileSync(RECORD, JSON.stringify(await record()));
	const scenarios = z.array(scenario).parse(JSON.parse(readFileSync(RECORD, 'utf8')));
	const reached = new Set(scenarios.slice(0, REACH).flatMap(({ ids }) => ids));
	process.on('message', (id: string) => {
		void find(id, scenarios).then((found) =>
			tell({ verdict: { isReached: reached.has(id), ...(found && { found }) } }),
		);
	});
	tell({ verdict: { isReached: false } });
}

async function record() {
	const scenarios: Array<z.infer<typeof scenario>> = [];
	let seconds = 0;
	for (let seed = 1; seed <= REACH || seconds < SECONDS; seed += 1) {
		executed = new Set();
		const begin = secondsNow();
		const { broken } = await playSeed(seed);
		const took = secondsNow() - begin;
		seconds += took;
		const promises = broken.map(({ promise }) => promise);
		scenarios.push({ seed, seconds: took, broken: promises, ids: [...executed] });
		tell({});
	}
	return scenarios;
}

/**
 * Plays scenarios with the mutant until one breaks a promise that it keeps without it. One that does not execute it is not
 * played: it takes the time that it took without the mutant.
 */
async function find(
	id: string,
	scenarios: Array<z.infer<typeof scenario>>,
): Promise<Verdict['found']> {
	let seconds = 0;
	for (const { seed, seconds: known, broken, ids } of scenarios) {
		if (seconds > SECONDS) return undefined;
		if (!ids.includes(id)) {
			seconds += known;
			continue;
		}
		tell({});
		active = id;
		const begin = secondsNow();
		const played = await playSeed(seed);
		seconds += secondsNow() - begin;
		active = '';
		const found = played.broken.find(({ promise }) => !broken.includes(promise));
		if (found) return { seed, promise: `${found.promise}: ${found.how[0] ?? ''}`, seconds };
	}
	return undefined;
}
