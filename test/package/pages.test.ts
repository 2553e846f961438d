import type { INodeProperties } from 'n8n-workflow';
import { globSync } from 'tinyglobby';
import {
	MAX_ANSWER_BYTES,
	MAX_ERROR_BYTES,
	MAX_LIST_BYTES,
	MAX_RESOURCE_BYTES,
} from '../../gateway/http/body';
import { STATUSES } from '../../gateway/errors/statuses';
import { GenerationServiceApi } from '../../credentials/GenerationServiceApi.credentials';
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

/** What forms call their nodes, fields and choices, without units. */
function labelsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	const own = ['displayName', 'name'].map((field) => String(Reflect.get(value, field)));
	return [...own, ...Object.values(value).flatMap(labelsIn)];
}
const labels = new Set(
	labelsIn([
		new GenerationServiceApi(),
		...Object.values(nodeTypes).map(({ description }) => description),
	]).map((label) => label.replace(/ \(.*\)$/, '')),
);
/** Labels of n8n, and what the pages themselves call something. */
const OTHER_LABELS =
	/^(Agent Tool|Answer Chain|Automatically Passthrough Binary( Images)?|Chat Hub|Chat Model|Community Nodes|Creator Portal|Enable (Fallback Model|Streaming)|Execute Workflow|Extract From File|Move File( to Base64 String)?|Generation Service|Information Extractor|Loop Over Items|Model Selector|On Error|(Structured )?Output Parser|Predefined Credential Type|Remove Duplicates|Request Domains|Retry On Fail|Sentiment Analysis|Server Trigger|Execution Order|Stop Workflow|Summarization Chain|Text Classifier|Timeout Workflow)$/;

/** The labels of several words in a text, and what looks like one. */
function unknownLabelsIn(text: string): string[] {
	return [...text.matchAll(/\b[A-Z][a-z]+(?: (?:(?:of|per|in) )?[A-Z][a-z]+)+\b/g)]
		.map(([label]) => label.replace(/^(Increase|Only|Set|The|Use|With|Without) /, ''))
		.map((label) => label.replace(/ in Options$/, ''))
		.filter((label) => label.includes(' ') && !labels.has(label) && !OTHER_LABELS.test(label));
}

test.each(pages.filter((page) => !/^(test|CHANGELOG|docs\/(bench|errors))/.test(page)))(
	'the labels that %s tells are those of a form',
	(page) => {
		const prose = read(page).replace(/```[^]*?```|`[^`]*`|\]\([^)]*\)|^#.*$/gm, '');
		expect(unknownLabelsIn(prose)).toEqual([]);
	},
);

test.each(globSync('{nodes,gateway}/**/*.ts', { cwd: root }))(
	'the labels that descriptions and errors of %s tell are those of a form',
	(path) => {
		// Without comments, and without the lines in which the form itself names something.
		const texts = read(path)
			.replace(/\/\*[^]*?\*\/|\/\/ .*$/gm, '')
			.replace(/^.*\b(displayName|name|placeholder|\w*ButtonText): .*$/gm, '');
		expect(unknownLabelsIn(texts)).toEqual([]);
	},
);

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
	]);
	const rows = read('README.md').match(/^\| \*\*.*\*\* .*\| .*\|.*\|$/gm) ?? [];
	const notes = globSync('examples/*.json', { cwd: root }).flatMap((path) => {
		const { nodes } = JSON.parse(read(path)) as { nodes: Array<{ parameters: object }> };
		return nodes.map(({ parameters }) => String(Reflect.get(parameters, 'content') ?? ''));
	});
	const told = [...rows, ...notes].join('\n').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g);
	expect([...told].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
});

/** Words that only this project gave a meaning, and English that is not plain: by what is used instead. */
const PRIVATE_WORDS: Record<string, RegExp> = {
	fix: /\bmend(s|ed|ing)?\b/i,
	'test scenarios': /\bzoo\b/i,
	'resumed run': /\blegs?\b/i,
	'error body of the service': /\bown words?\b/i,
	except: /\bbut for\b/i,
	must: /\bshall\b/i,
	'for nothing': /\bin vain\b/i,
	'keeps the connection alive': /\bsigns? of life\b/i,
};

test.each(pages)('%s has plain words', (page) => {
	const found = Object.entries(PRIVATE_WORDS).filter(([, word]) => word.test(read(page)));
	expect(found.map(([instead, word]) => `${String(word)}: ${instead}`)).toEqual([]);
});

test('the README tells the defaults of the request options', () => {
	for (const name of ['Max Concurrency', 'Max Retries', 'Timeout'])
		expect(read('README.md')).toMatch(new RegExp(`${name} \\(\\d`));
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
	expect(new Set(named).size).toBeGreaterThan(5);
	expect(named.filter((code) => !CODES.includes(code))).toEqual([]);
});
