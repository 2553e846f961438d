import type { INodeProperties } from 'n8n-workflow';
import { globSync } from 'tinyglobby';
import {
	MAX_ANSWER_BYTES,
	MAX_ERROR_BYTES,
	MAX_LIST_BYTES,
	MAX_RESOURCE_BYTES,
} from '../../gateway/http/body';
import { STATUSES } from '../../gateway/errors/statuses';
import { NODE_CODES } from '../docs/nodeCodes';
import { nodeTypes } from '../engine/runNode';
import { read, root } from './projectFiles';

const pages = globSync(['*.md', '{docs,examples,gateway,simulator,test}/**/*.md'], {
	cwd: root,
	ignore: ['**/node_modules/**'],
});

/** All numeric properties of the nodes, those in collections, too. */
const numbers = Object.values(nodeTypes)
	.flatMap(({ description }) => description.properties)
	.flatMap((property) => [property, ...((property.options ?? []) as INodeProperties[])])
	.filter(({ type }) => type === 'number');

/** Defaults by the name in the form, without its unit. */
const defaults = new Map<string, Set<unknown>>();
for (const { displayName, default: value } of numbers) {
	const name = displayName.replace(/ \(.*\)$/, '');
	defaults.set(name, (defaults.get(name) ?? new Set()).add(value));
}

test.each(pages)('the defaults that %s tells are those of the form', (page) => {
	const told = [...defaults].flatMap(([name, values]) =>
		[...read(page).matchAll(new RegExp(`${name}[*\`]* \\((\\d+)\\b`, 'g'))]
			.map(([, told]) => Number(told))
			.filter((value) => !values.has(value))
			.map((value) => `${name}: ${value}`),
	);
	expect(told).toEqual([]);
});

/** Names of fields, those in objects, too. */
function fieldsIn(value: object): string[] {
	return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
		typeof inner === 'object' && inner !== null ? [name, ...fieldsIn(inner)] : [name],
	);
}

test('the output fields that the README and the notes in examples tell are those of a node', () => {
	const known = new Set([
		...Object.values(nodeTypes).flatMap((node) =>
			'outputFields' in node ? fieldsIn(node.outputFields as object) : [],
		),
		// Of some answers, of errors, and of requests.
		...['tool_calls', 'http_status', 'may_have_been_accepted', 'response_format'],
		// Of the data table of an example.
		'claimed_by',
	]);
	const rows = read('README.md').match(/^\| \*\*.*\*\* .*\| .*\|.*\|$/gm) ?? [];
	const notes = globSync('examples/*.json', { cwd: root }).flatMap((path) => {
		const { nodes } = JSON.parse(read(path)) as { nodes: Array<{ parameters: object }> };
		return nodes.map(({ parameters }) => String(Reflect.get(parameters, 'content') ?? ''));
	});
	const told = [...rows, ...notes].join('\n').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g);
	expect([...told].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
});

test.each([
	['answers of a model', `${MAX_ANSWER_BYTES / 1024 ** 2} MiB`],
	['lists', `${MAX_LIST_BYTES / 1024 ** 2} MiB`],
	['tasks and submissions', `${MAX_RESOURCE_BYTES / 1024 ** 2} MiB`],
	['errors', `${MAX_ERROR_BYTES / 1024} KiB`],
])('SECURITY.md tells how large %s may be: %s', (what, size) => {
	expect(read('SECURITY.md').replace(/\s+/g, ' ')).toContain(`${what} ${size}`);
});

/** What a node needs, by its type. The other nodes of the examples are in every n8n that is tested. */
const NEEDS: Record<string, string> = {
	'n8n-nodes-base.dataTable': '2.4',
	'n8n-nodes-generation-service.lmChatGenerationService': '2.16',
};

test.each(globSync('examples/*.json', { cwd: root }))(
	'%s is listed with the n8n it needs',
	(path) => {
		const { nodes } = JSON.parse(read(path)) as { nodes: Array<{ type: string }> };
		const needed = nodes
			.flatMap(({ type }) => NEEDS[type] ?? [])
			.sort((a, b) => +b.slice(2) - +a.slice(2));
		const file = path.replace('examples/', '');
		const mark = needed[0] === undefined ? ':' : ` (n8n ${needed[0]}):`;
		expect(read('examples/README.md')).toContain(`(${file})${mark}`);
		const inReadme = new RegExp(`/examples/${file}\\)(.*)$`, 'm').exec(read('README.md'))?.[1];
		if (inReadme !== undefined) expect(inReadme).toBe(mark.slice(0, -1));
	},
);

test('no page or manifest has an address that does not exist', () => {
	const files = [
		...pages,
		'package.json',
		'docker-compose.yml',
		...globSync('.github/**/*', { cwd: root, dot: true }),
	];
	expect(files.filter((path) => /[\w-]\.example(?!\.)\b/.test(read(path)))).toEqual([]);
});

/** Names of files that a page tells, without those of a reader's own and of other software. */
const namesIn = (page: string) =>
	[...read(page).matchAll(/`([\w./-]+\.(?:ts|js|json|mjs|yml|md|svg|webp))`/g)].map(
		([, name = '']) => name,
	);
const FOREIGN =
	/^(package-lock\.json|package\.json|prompt-to-video\.webp|sbom\.cdx\.json|SKILL\.md)$/;
const files = globSync(['**/*', '.github/**/*'], {
	cwd: root,
	dot: true,
	ignore: [
		'**/node_modules/**',
		'dist/**',
		'dist-cloud/**',
		'.git/**',
		'coverage/**',
		'e2e/output/**',
	],
});

test.each(pages)('the files that %s names exist', (page) => {
	const missing = namesIn(page).filter(
		(name) =>
			!FOREIGN.test(name) && !files.some((file) => file === name || file.endsWith(`/${name}`)),
	);
	expect(missing).toEqual([]);
});

const CODES = [...STATUSES.map(({ code }) => code), ...Object.keys(NODE_CODES)];

/** Codes in sentences ("the code `timeout`") and in a column of tables with the head `Code`. */
function codesIn(page: string): string[] {
	const lines = read(page).split('\n');
	let column = -1;
	return lines.flatMap((line) => {
		if (!line.startsWith('|')) {
			column = -1;
			return [...line.matchAll(/\bcodes? `([a-z_]+)`/g)].map(([, code = '']) => code);
		}
		const cells = line.split('|');
		if (column < 0) column = cells.findIndex((cell) => cell.trim() === 'Code');
		const cell = column < 0 ? '' : (cells[column] ?? '');
		return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code);
	});
}

test('the codes that pages name exist', () => {
	const named = ['README.md', ...globSync('docs/*.md', { cwd: root })].flatMap(codesIn);
	expect(new Set(named).size).toBeGreaterThan(1);
	expect(named.filter((code) => !CODES.includes(code))).toEqual([]);
});
