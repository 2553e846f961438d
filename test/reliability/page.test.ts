import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reliabilityPage } from './page';

test('the documentation shows the fault table that the tests check', () => {
	const page = readFileSync(join(__dirname, '../../docs/reliability.md'), 'utf8');
	expect(page).toBe(reliabilityPage());
});
