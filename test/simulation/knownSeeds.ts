import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckReport, checkReport } from './checkReport';

const FILE = join(__dirname, 'knownSeeds.json');

/** The promises that seeds are known to break, because of a defect that is still open. */
export function knownSeeds(): CheckReport['known'] {
	return checkReport.shape.known.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** Whether all is as the list and found/ say. */
export function isAsKnown({ seeds, known, found, unlike }: CheckReport): boolean {
	const isFound = found.every(
		({ expected, broken }) => !differ(expected === undefined ? [] : [expected], broken),
	);
	return unlike.length === 0 && isFound && !differ(seeds, known);
}

function differ(one: object, other: object): boolean {
	return JSON.stringify(one) !== JSON.stringify(other);
}

/** Takes from the list what no longer breaks, of the seeds that were played. Nothing is added: that is for a reviewer. */
export function forgetFixed({ known, seeds }: CheckReport): void {
	const left = Object.entries(knownSeeds()).flatMap(([seed, promises]) => {
		const still = promises.filter((each) => !(seed in known) || seeds[seed]?.includes(each));
		return still.length > 0 ? [[seed, still] as const] : [];
	});
	const lines = left.map(([seed, promises]) => `\t"${seed}": ${JSON.stringify(promises)}`);
	const text = lines.join(',\n').replaceAll('","', '", "');
	writeFileSync(FILE, text === '' ? '{}\n' : `{\n${text}\n}\n`);
}
