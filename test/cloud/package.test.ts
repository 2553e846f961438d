import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const zodOfN8n = dirname(
	require.resolve('zod/package.json', { paths: [dirname(require.resolve('@n8n/config'))] }),
);
let folder: string;
let installed: string;
let packed: { size: number; filename: string };

/** Packs the package as it would be published, and lays it out beside what n8n lends. */
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'package-'));
	const report = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: join(root, 'dist-cloud'),
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	packed = (JSON.parse(report) as Array<typeof packed>)[0]!;
	const modules = join(folder, 'node_modules');
	installed = join(modules, 'n8n-nodes-generation-service');
	mkdirSync(installed, { recursive: true });
	const tarball = join(folder, packed.filename);
	execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
	symlinkSync(join(root, 'node_modules/n8n-workflow'), join(modules, 'n8n-workflow'));
	symlinkSync(zodOfN8n, join(modules, 'zod'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifestIn = (path: string) =>
	JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, object>;

test('the package is the same as the main one to a workflow, promises to be strict, and brings nothing along', () => {
	const { n8n, ...cloud } = manifestIn(installed);
	const { n8n: mainN8n, scripts, devDependencies, ...main } = manifestIn(root);
	expect(scripts).toHaveProperty('build:cloud');
	expect(devDependencies).toHaveProperty('undici');
	expect(cloud).toEqual(main);
	expect(n8n).toEqual({ ...mainN8n, strict: true });
	expect(cloud).not.toHaveProperty('dependencies');
	expect(packed.size).toBeLessThan(150_000);
});

test('installed from the tarball alone, every node loads and runs against the service', () => {
	const output = execFileSync(
		join(root, 'node_modules/.bin/tsx'),
		[join(root, 'test/package/runInstalled.ts'), installed],
		{ encoding: 'utf8', cwd: root },
	);
	const results = JSON.parse(output) as Record<string, Array<Record<string, unknown>>>;
	expect(results.chatCompletion?.[0]?.text).toEqual(expect.any(String));
	expect(results.listModels?.length).toBeGreaterThan(1);
	expect(results.videoGeneration?.[0]?.status).toBe('completed');
});

const scanner = join(root, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs');

describe("n8n's scan of packages for verification", () => {
	const scan = (leg: 'sources' | 'package', path: string) =>
		execFileSync(process.execPath, [join(__dirname, 'scan.mjs'), scanner, leg, path], {
			encoding: 'utf8',
			// eslint-plugin-n8n-nodes-base takes every file for one of its own fixtures when NODE_ENV is Jest's `test`.
			env: { ...process.env, NODE_ENV: 'production' },
		}).trim();

	test('finds nothing in the sources', () => expect(scan('sources', root)).toBe('passed'));

	test('finds nothing in the packed package', () =>
		expect(scan('package', installed)).toBe('passed'));

	test('finds in the main build what n8n Cloud forbids', () => {
		const found = scan('package', join(root, 'dist'));
		expect(found).toContain('no-restricted-globals');
		expect(found).toContain('no-restricted-imports');
	});
});
