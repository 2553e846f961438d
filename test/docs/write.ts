import { writeFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { root } from '../package/projectFiles';
import { PAGES, pathOf, readPage } from './pages';

for (const [page, write] of Object.entries(PAGES))
	writeFileSync(pathOf(page), write(readPage(page)));

// How long each page is: what is told twice shows here first.
const pages = globSync(['*.md', '{docs,examples,gateway,simulator,test}/**/*.md'], { cwd: root });
for (const page of pages.sort())
	process.stdout.write(`${String(readPage(page).split(/\s+/).length).padStart(6)} ${page}\n`);
