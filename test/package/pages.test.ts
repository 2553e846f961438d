import type { INodeProperties } from 'n8n-workflow';
import { globSync } from 'tinyglobby';
import {
	MAX_ANSWER_BYTES,
	MAX_ERROR_BYTES,
	MAX_LIST_BYTES,
	MAX_RESOURCE_BYTES,
} from '../../gateway/http/body';
import { STATUS_TABLE } from '../../gateway/errors/statuses';
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

const GENERATED = ['docs/compatibility.md', 'docs/errors.md'];

test('the fields and codes that pages and the notes in examples name exist', () => {
	const known = new Set([
		...Object.values(nodeTypes).flatMap((node) =>
			'outputFields' in node ? fieldsIn(node.outputFields as object) : [],
		),
		...STATUS_TABLE.map(({ code }) => code),
		...Object.keys(NODE_CODES),
		// Of some answers, of errors, of requests, and of an execution's custom data.
		...['tool_calls', 'reasoning_content', 'reasoning_details', 'http_status'],
		'may_have_been_accepted',
		...['response_format', 'billable_requests', 'video_task_ids', 'video_task_ids_4'],
		// Of the data table of an example.
		'claimed_by',
		// Of other services.
		'overloaded_error',
	]);
	const written = globSync(['README.md', 'docs/*.md'], { cwd: root, ignore: GENERATED });
	const notes = globSync('examples/*.json', { cwd: root }).flatMap((path) => {
		const { nodes } = JSON.parse(read(path)) as { nodes: Array<{ parameters: object }> };
		return nodes.map(({ parameters }) => String(Reflect.get(parameters, 'content') ?? ''));
	});
	const texts = [...written.map(read), ...notes].join('\n');
	const named = [...texts.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = '']) => name);
	expect(new Set(named).size).toBeGreaterThan(10);
	expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test.each([
	['answers of a model', `${MAX_ANSWER_BYTES / 1024 ** 2} MiB`],
	['lists', `${MAX_LIST_BYTES / 1024 ** 2} MiB`],
	['tasks and submissions', `${MAX_RESOURCE_BYTES / 1024 ** 2} MiB`],
	['errors', `${MAX_ERROR_BYTES / 1024} KiB`],
])('SECURITY.md tells how large %s may be: %s', (what, size) => {
	expect(read('SECURITY.md').replace(/\s+/g, ' ')).toContain(`${what} ${size}`);
});

test.each(globSync('examples/*.json', { cwd: root }))('%s is listed', (path) => {
	expect(read('examples/README.md')).toContain(`(${path.replace('examples/', '')}):`);
});

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
		'dist-verified/**',
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
