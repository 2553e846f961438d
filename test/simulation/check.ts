import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckReport, checkReport } from './checkReport';
import { lifeOf, playLife } from './hunt';
import { type Life, life as lifeSchema } from './life/schema';
import { allOf } from './report';

/** Lives that every change is tested with. */
const FIXED_SEEDS = 300;
/** How many of them are played twice. */
const PLAYED_TWICE = 20;

const FOUND = join(__dirname, 'found');
const KNOWN = join(__dirname, 'knownSeeds.json');

/** Plays what `npm test` plays. */
export async function check(): Promise<CheckReport> {
	const seeds: CheckReport['seeds'] = {};
	const unlike: string[] = [];
	let requests = 0;
	for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) {
		const { played, broken } = await playLife(lifeOf(seed));
		requests += played.truth.requests.length;
		if (broken.length > 0) seeds[seed] = broken.map(({ promise }) => promise);
		if (seed > PLAYED_TWICE) continue;
		const again = await playLife(lifeOf(seed));
		const [one, other] = [allOf(played), allOf(again.played)];
		const difference = one.findIndex((line, index) => line !== other[index]);
		if (one.length !== other.length || difference >= 0)
			unlike.push(`${seed}: ${one[difference]} / ${other[difference]}`);
	}
	const found: CheckReport['found'] = [];
	for (const { name, life } of foundLives()) {
		const { broken } = await playLife(life);
		const { breaks } = life;
		const expected = breaks === undefined ? {} : { expected: breaks };
		found.push({ name, ...expected, broken: broken.map(({ promise }) => promise) });
	}
	const known = checkReport.shape.known.parse(JSON.parse(readFileSync(KNOWN, 'utf8')));
	return { lives: FIXED_SEEDS + found.length, requests, seeds, known, found, unlike };
}

/** The lives that broke a promise once. */
export function foundLives(): Array<{ name: string; life: Life }> {
	return readdirSync(FOUND)
		.filter((file) => file.endsWith('.json'))
		.map((file) => {
			const json: unknown = JSON.parse(readFileSync(join(FOUND, file), 'utf8'));
			return { name: file.replace(/\.json$/, ''), life: lifeSchema.parse(json) };
		});
}
