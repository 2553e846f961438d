import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf, playAll } from './table';

const PAGE = join(__dirname, '../../../gateway/limits/scenarios.md');

void playAll().then((results) => writeFileSync(PAGE, pageOf(results)));
