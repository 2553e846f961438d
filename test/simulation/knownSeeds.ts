import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckReport, checkReport } from './checkReport';

const FILE = join(__dirname, 'knownSeeds.json');

/** The promises that seeds are known to break, because of a defect that is still open. */
export function knownSeeds(): CheckReport['known'] {
	return checkReport.shape.known.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** Where a check differs from the list, and from the marks in found/; a line each. */
export function surprises({ seeds, known, found, unlike }: CheckReport): string[] {
	const expected = { ...known, ...fromFound(found, ({ expected: mark }) => (mark ? [mark] : [])) };
	const played = { ...seeds, ...fromFound(found, ({ broken }) => broken) };
	const names = Object.keys({ ...expected, ...played });
	const differing = names.flatMap((name) => {
		const [one, other] = [expected[name] ?? [], played[name] ?? []].map((each) => each.join(', '));
		return one === other ? [] : [`${name} breaks "${other}"; known is "${one}"`];
	});
	return [...differing, ...unlike.map((how) => `played twice, it differs: ${how}`)];
}

type Found = CheckReport['found'];

function fromFound(found: Found, promises: (each: Found[number]) => string[]) {
	return Object.fromEntries(found.map((each) => [each.name, promises(each)]));
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
