import { globSync } from 'tinyglobby';
import { root } from '../package/projectFiles';
import { readPage } from './pages';

/** What a user and a maintainer read, without what is written from the corpus. */
const PAGES = ['{README,CONTRIBUTING,SECURITY,CHANGELOG}.md', 'docs/**/*.md'];
const FROM_CORPUS = 'docs/compatibility.md';

/** A table to look things up in, of docs/architecture.md. */
const MECHANISMS = /^## Mechanisms and who needs them$[^]*?(?=^## )/m;

/** How many words of a page a reader sees: no comments, no HTML, no URLs of links, no lines of tables. */
function wordsOf(page: string): number {
	const text = page
		.replace(MECHANISMS, '')
		.replace(/<!--[^]*?-->|<[^>]+>/g, '')
		.replace(/\]\([^)]*\)/g, ']');
	return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

/** How long each page is, and all together: what is told twice shows here first. */
export function wordCounts(): string {
	const pages = globSync(PAGES, { cwd: root, ignore: FROM_CORPUS }).sort();
	const counts = pages.map((page) => ({ page, words: wordsOf(readPage(page)) }));
	const sum = counts.reduce((all, { words }) => all + words, 0);
	return [...counts, { page: 'all of these pages', words: sum }]
		.map(({ page, words }) => `${String(words).padStart(6)} ${page}\n`)
		.join('');
}
