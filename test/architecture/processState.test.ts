import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';

const root = resolve(__dirname, '../..');

/** A variable of a module, or a collection that begins empty, on a line of its own without indentation. */
const STATE = /^(?:export )?(?:let (\w+)|const (\w+)(?:: .+)? = new \w+(?:<.*>)?\(\);$)/gm;

test('docs/architecture.md says of each state of the process what bounds it', () => {
	const files = globSync(['gateway/**/*.ts', 'nodes/**/*.ts', 'credentials/*.ts'], { cwd: root });
	const found = files.flatMap((file) =>
		[...readFileSync(join(root, file), 'utf8').matchAll(STATE)].map(([, a, b]) => a ?? b ?? ''),
	);
	expect(found).toContain('queues');
	const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
	const [, table = ''] = /^## What lives in the process$([^#]*)/m.exec(page) ?? [];
	const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
	expect(found.filter((name) => !named.includes(name))).toEqual([]);
});
