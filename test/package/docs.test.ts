import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { z } from 'zod';
import { anchorsOf, read, root } from './projectFiles';

const pages = globSync(['*.md', '{docs,examples,gateway,simulator,test}/**/*.md'], {
	cwd: root,
	ignore: ['**/node_modules/**'],
});

/** The links of a page to files of the project, with their anchors. */
function linksOf(page: string): Array<{ file: string; anchor: string | undefined }> {
	const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, url = '']) => url);
	return targets
		.filter((url) => !/^[a-z]+:/.test(url))
		.map((url) => {
			const [path = '', anchor] = url.split('#');
			return { file: path === '' ? page : join(dirname(page), path), anchor };
		});
}

test.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
	const broken = linksOf(page).filter(
		({ file, anchor }) =>
			!existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor)),
	);
	expect(broken).toEqual([]);
});

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const versionOf = (name: string, folder: string) =>
	manifest.parse(JSON.parse(read(join(folder, 'package.json')))).dependencies[name] ?? '';

test('the pages name the oldest n8n and the newest, in which the tests run', () => {
	const tested = [versionOf('n8n-core', 'test/oldestN8n'), versionOf('n8n', 'e2e/n8n')];
	expect(read('docs/n8n-versions.md')).toContain(`\n| | ${tested.join(' | ')} |\n`);
	const [oldest, newest] = tested.map((version) => version.split('.').slice(0, 2).join('.'));
	expect(read('README.md')).toContain(`${oldest} or later, tested with ${oldest} and ${newest}`);
	expect(read('docs/n8n-versions.md')).toContain(`| n8n | ${oldest} or later |`);
	expect(read('gulpfile.js')).toContain(`need n8n ${oldest} or later`);
});

test('the rows that the verified build does not meet are rows of the table of faults', () => {
	const page = read('test/reliability/README.md');
	const [, differing = ''] = /The verified build meets each row but ([^]*?)\n\n/.exec(page) ?? [];
	const rows = [...differing.matchAll(/\*\*([^*]+)\*\*/g)].map(([, row = '']) =>
		row.replace(/\s+/g, ' '),
	);
	expect(rows.length).toBeGreaterThan(0);
	expect(rows.filter((row) => !page.includes(`\n| ${row} |`))).toEqual([]);
});

const scaling = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.number())));

test('the figures of docs/scaling are those of its committed results', () => {
	const rows = read('docs/scaling/README.md')
		.split('\n')
		.filter((line) => line.startsWith('| '));
	const results = Object.entries(scaling.parse(JSON.parse(read('docs/scaling/results.json'))));
	const shown = results.flatMap(([name, ways]) =>
		Object.values(ways).flatMap(({ executions, seconds, success, cpuMsEach, bytesEach }) => [
			...(seconds === undefined ? [] : [[name, `${seconds} s`]]),
			...(success === undefined ? [] : [[name, `${success} of ${executions}`]]),
			...(cpuMsEach === undefined ? [] : [['CPU time', `${Math.round(cpuMsEach)} ms`]]),
			...(bytesEach === undefined ? [] : [['Bytes', bytesEach.toLocaleString('en-US')]]),
		]),
	);
	const isShown = (name = '', figure = '') =>
		rows.some((row) => row.slice(2).startsWith(name) && row.includes(`| ${figure}`));
	const named = shown.filter(([name = '']) => rows.some((row) => row.slice(2).startsWith(name)));
	expect(named.length).toBeGreaterThan(5);
	expect(named.filter(([name, figure]) => !isShown(name, figure))).toEqual([]);
});
