import { writeFileSync } from 'node:fs';
import { PAGES, pathOf, readPage } from './pages';
import { wordCounts } from './words';

for (const [page, write] of Object.entries(PAGES))
	writeFileSync(pathOf(page), write(readPage(page)));
process.stdout.write(wordCounts());
