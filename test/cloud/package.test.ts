import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const zodOfN8n = dirname(
	require.resolve('zod/package.json', { paths: [dirname(require.resolve('@n8n/config'))] }),
);
let folder: string;
let installed: string;
let packed: { size: number; filename: string; files: Array<{ path: string }> };

/** Packs the package as for publishing and extracts it next to the packages that n8n provides. */
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

test('the package.json differs from that of the undici build only in strict: true', () => {
	const { n8n, ...cloud } = manifestIn(installed);
	const { n8n: mainN8n, scripts, devDependencies, ...main } = manifestIn(root);
	expect(scripts).toHaveProperty('build:cloud');
	expect(devDependencies).toHaveProperty('undici');
	expect(cloud).toEqual(main);
	expect(n8n).toEqual({ ...mainN8n, strict: true });
	expect(cloud).not.toHaveProperty('dependencies');
	expect(packed.size).toBeLessThan(150_000);
});

test('the package contains only files that n8n needs', () => {
	const unexpected = packed.files
		.map(({ path }) => path)
		.filter((path) => !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path))
		.filter((path) => !/^dist\/gateway\/(client|index)\.js$/.test(path))
		.filter(
			(path) => !/^dist\/(nodes|credentials)\/.+\.(js|json)$|^dist\/icons\/.+\.svg$/.test(path),
		);
	expect(unexpected).toEqual([]);
});

test('every node of the installed tarball runs', () => {
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

test('an outdated zod among the community packages is named, with what to do', () => {
	const outdated = join(installed, 'node_modules/zod');
	mkdirSync(outdated, { recursive: true });
	writeFileSync(
		join(outdated, 'package.json'),
		'{ "name": "zod", "version": "3.22.4", "exports": "./index.js" }',
	);
	writeFileSync(join(outdated, 'index.js'), '');
	try {
		const load = `require(${JSON.stringify(join(installed, 'dist/gateway/index.js'))}).Gateway`;
		const { stderr } = spawnSync(process.execPath, ['-e', load], { encoding: 'utf8' });
		expect(stderr).toContain('outdated zod');
		expect(stderr).toContain(`Delete the folder ${outdated}`);
	} finally {
		rmSync(outdated, { recursive: true });
	}
});

const scanner = join(root, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs');

describe("n8n's scan for verification", () => {
	const scan = (target: 'sources' | 'package', path: string) =>
		execFileSync(process.execPath, [join(__dirname, 'scan.mjs'), scanner, target, path], {
			encoding: 'utf8',
			// With Jest's NODE_ENV `test`, eslint-plugin-n8n-nodes-base treats every file as one of its own fixtures.
			env: { ...process.env, NODE_ENV: 'production' },
		}).trim();

	test('passes for the sources', () => expect(scan('sources', root)).toBe('passed'));

	test('passes for the package', () => expect(scan('package', installed)).toBe('passed'));

	test('fails for the undici build, with the rules of n8n Cloud', () => {
		const found = scan('package', join(root, 'dist'));
		expect(found).toContain('no-restricted-globals');
		expect(found).toContain('no-restricted-imports');
	});
});
