import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { GenerationServiceApi } from '../../credentials/GenerationServiceApi.credentials';
import { videoOperations } from '../engine/packageNodes';
import { anchorsOf, read, root } from './projectFiles';

const readme = read('README.md');

const REPOSITORY = 'generation-service/n8n-nodes-generation-service';
const ON_GITHUB = new RegExp(
	`https://(?:github\\.com/${REPOSITORY}/blob|raw\\.githubusercontent\\.com/${REPOSITORY})/main/([^)\\s#]+)`,
	'g',
);

test('every link of the README to a file of the project is absolute and exists', () => {
	const linked = [...readme.matchAll(ON_GITHUB)].map(([, path = '']) => path);
	expect(linked.length).toBeGreaterThan(20);
	expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
	const targets = [...readme.matchAll(/\]\(([^)]+)\)/g), ...readme.matchAll(/^\[.+\]: (.+)$/gm)];
	expect(targets.map(([, url = '']) => url).filter((url) => !/^(https:|#)/.test(url))).toEqual([]);
});

// What someone reads in five minutes, and an operator in three.
test.each([
	['README.md', 780],
	['docs/scaling.md', 650],
])('%s has at most %d words', (page, most) => {
	expect(read(page).trim().split(/\s+/).length).toBeLessThanOrEqual(most);
});

test('every link to a heading of the README exists', () => {
	const sources = ['README.md', ...globSync('{credentials,nodes}/**/*.{json,ts}', { cwd: root })];
	const used = sources.flatMap((path) =>
		[...read(path).matchAll(/(?:generation-service|\]\()#([a-z-]+)/g)].map(([, name]) => name),
	);
	expect(used.length).toBeGreaterThan(5);
	expect(anchorsOf('README.md')).toEqual(
		expect.arrayContaining(used.filter((name) => name !== 'readme')),
	);
});

test('the README names every node and every operation', () => {
	const first = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1];
	const nodes = globSync('nodes/*/*.node.ts', { cwd: root });
	const names = [
		...nodes.map((path) =>
			first(path, /description: INodeTypeDescription = \{\s+displayName: '(.+)'/),
		),
		...videoOperations.map(({ name }) => name),
	];
	expect(names.filter((name) => name === undefined || !readme.includes(`**${name}**`))).toEqual([]);
});

test('the README names every field of the credential', () => {
	const labels = new GenerationServiceApi().properties.map(({ displayName }) =>
		displayName.replace(/ \(.+\)$/, ''),
	);
	expect(labels.filter((label) => !readme.includes(`| **${label}** |`))).toEqual([]);
});

test('package.json lists every node', () => {
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[] } };
	const nodes = globSync('nodes/*/*.node.ts', { cwd: root });
	expect(n8n.nodes).toEqual(nodes.map((path) => `dist/${path.replace(/ts$/, 'js')}`).sort());
});
