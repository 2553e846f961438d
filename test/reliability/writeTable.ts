import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reliabilityPage } from './page';

const path = join(__dirname, '../../docs/reliability.md');
writeFileSync(path, reliabilityPage(readFileSync(path, 'utf8')));
