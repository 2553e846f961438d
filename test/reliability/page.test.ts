import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesOf, UNLISTED_FAULTS, ROWS } from './faultTable';
import { reliabilityPage } from './page';

test('the documentation has the current fault table', () => {
	const page = readFileSync(join(__dirname, '../../docs/reliability.md'), 'utf8');
	expect(page).toBe(reliabilityPage(page));
});

test('every fault is in a row and is tested', () => {
	expect(UNLISTED_FAULTS).toEqual([]);
	const tested = ROWS.flatMap(casesOf).map(({ fault }) => fault);
	expect(ROWS.flatMap(({ faults }) => faults).filter((fault) => !tested.includes(fault))).toEqual(
		[],
	);
});
