import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reliabilityPage } from './page';

const file = join(__dirname, '../../docs/reliability.md');
writeFileSync(file, reliabilityPage(readFileSync(file, 'utf8')));
