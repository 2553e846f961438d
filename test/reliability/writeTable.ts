import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultTable } from '../../simulator/faultList';
import { reliabilityPage, withTable } from './page';

function rewrite(path: string, change: (page: string) => string): void {
	const file = join(__dirname, '../..', path);
	writeFileSync(file, change(readFileSync(file, 'utf8')));
}

rewrite('docs/reliability.md', reliabilityPage);
rewrite('simulator/README.md', (page) => withTable(page, 'faults', `${faultTable()}\n`));
