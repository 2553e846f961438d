import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { globSync } from 'tinyglobby';
import { isDocumentedStatus } from '../../gateway/errors/statuses';
import { FAULTS } from '../../simulator/faults/table';
import { packageNodes, videoOperations } from '../engine/packageNodes';

const root = resolve(__dirname, '../..');
const textOf = (files: string) =>
	globSync(files, { cwd: root })
		.map((file) => readFileSync(join(root, file), 'utf8'))
		.join('\n');

const NAME = /description: INodeTypeDescription = \{\s+displayName: '.+',\s+name: '(.+)'/;

/** The names of the types of the package's nodes. */
const nodes = globSync('nodes/*/*.node.ts', { cwd: root }).map(
	(file) => NAME.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file,
);
/** All but the default one, which tests do not name. */
const operations = videoOperations
	.map(({ value }) => String(value))
	.filter((name) => name !== 'generate');

const tests = textOf('test/nodes/**/*.ts');
const examples = textOf('examples/*.json');

// The fault table runs them, too, and checks what goes wrong: a test of its own checks what goes right.
test.each(nodes)('%s has a test of its own in test/nodes', (name) => {
	expect(tests.includes(`'${name}'`)).toBe(true);
});

test.each(operations)('%s has a test of its own in test/nodes', (name) => {
	expect(tests.includes(`operation: '${name}'`)).toBe(true);
});

test.each(nodes)('%s is in an example', (name) => {
	expect(examples.includes(`"n8n-nodes-generation-service.${name}`)).toBe(true);
});

/** The names of parameters, and of the options and fields in their collections. */
function namesOf(properties: INodeProperties[]): string[] {
	return properties
		.filter(({ type }) => !['hidden', 'notice', 'button'].includes(type))
		.flatMap(({ name, options = [] }) => [
			name,
			...options.flatMap((option) => {
				if ('values' in option) return [option.name, ...namesOf(option.values)];
				return 'type' in option ? [option.name] : [];
			}),
		]);
}

const testsOfParameters = tests + textOf('test/interface/*.ts');

test.each(Object.entries(packageNodes))(
	'each parameter of %s is in a test of the nodes',
	(_name, { description }) => {
		const names = namesOf(description.properties);
		const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(testsOfParameters);
		expect(names.filter((name) => !isNamed(name))).toEqual([]);
	},
);

test('no status of the table is among those that the document does not name', () => {
	const statuses = FAULTS.flatMap(({ name }) => /^status-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
	expect(statuses).not.toEqual([]);
	expect(statuses.filter(isDocumentedStatus)).toEqual([]);
});
