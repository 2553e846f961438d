import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesOf, FORGOTTEN, ROWS } from './faultTable';
import { reliabilityPage } from './page';

test('the documentation shows the fault table that the tests check', () => {
	const page = readFileSync(join(__dirname, '../../docs/reliability.md'), 'utf8');
	expect(page).toBe(reliabilityPage(page));
});

test('every fault has its row, and is played in one of its cells', () => {
	expect(FORGOTTEN).toEqual([]);
	const played = ROWS.flatMap(casesOf).map(({ fault }) => fault);
	expect(ROWS.flatMap(({ faults }) => faults).filter((fault) => !played.includes(fault))).toEqual(
		[],
	);
});
