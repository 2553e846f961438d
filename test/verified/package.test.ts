import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
	expectNodesRun,
	LEFT_WORKFLOWS,
	loadNodes,
	NEEDS_N8N,
	OLD_WORKFLOW,
	unneededFiles,
	usePackage,
} from '../package/installedPackage';

const root = resolve(__dirname, '../..');
const zodOfN8n = dirname(
	require.resolve('zod/package.json', { paths: [dirname(require.resolve('@n8n/config'))] }),
);
const { packed, install } = usePackage(join(root, 'dist-verified'));
const installed = install({ zod: zodOfN8n });

const manifestIn = (path: string) =>
	JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, object>;

test('the package.json differs from that of the undici build only in strict: true', () => {
	const { n8n, ...verified } = manifestIn(installed);
	const { n8n: mainN8n, scripts, devDependencies, ...main } = manifestIn(root);
	expect(scripts).toHaveProperty('build:verified');
	expect(devDependencies).toHaveProperty('undici');
	expect(verified).toEqual(main);
	expect(n8n).toEqual({ ...mainN8n, strict: true });
	expect(verified).not.toHaveProperty('dependencies');
	expect(packed.size).toBeLessThan(150_000);
});

test('the package contains only files that n8n needs', () => {
	expect(unneededFiles(packed, /^(client|index)\.js$/)).toEqual([]);
});

test('every node of the installed tarball runs', async () => await expectNodesRun(installed));

test.each(LEFT_WORKFLOWS)(
	'every node runs beside the n8n-workflow %s of an older n8n',
	async (version) => {
		const workflow = join(root, `node_modules/n8n-workflow-${version}`);
		await expectNodesRun(install({ 'n8n-workflow': workflow, zod: zodOfN8n }));
	},
);

test('in an n8n before 2.20, the nodes fail to load with one sentence', () => {
	expect(loadNodes(install({ zod: zodOfN8n }, OLD_WORKFLOW))).toMatch(NEEDS_N8N);
	expect(loadNodes(installed)).toBe('');
});

test('its nodes are loaded without zod, which may be an outdated one', () => {
	const load = `
		const { n8n } = require('./package.json');
		require('n8n-workflow');
		const before = new Set(Object.keys(require.cache));
		for (const file of n8n.nodes) require('./' + file);
		console.log(Object.keys(require.cache).filter((file) => !before.has(file) && /[\\\\/]zod[\\\\/]/.test(file)).length);
		process.exit();
	`;
	const options = { cwd: installed, encoding: 'utf8' } as const;
	expect(execFileSync(process.execPath, ['-e', load], options)).toBe('0\n');
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

test("n8n's scan for verification passes for the sources and the package, and fails for the undici build", () => {
	const scanner = join(root, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs');
	const scans = ['sources', root, 'package', installed, 'package', join(root, 'dist')];
	const output = execFileSync(
		process.execPath,
		[join(__dirname, 'scan.mjs'), scanner, ...scans],
		// With Jest's NODE_ENV `test`, eslint-plugin-n8n-nodes-base treats every file as one of its own fixtures.
		{ encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
	);
	const [ofSources, ofPackage, ofUndiciBuild] = JSON.parse(output) as string[];
	expect(ofSources).toBe('passed');
	expect(ofPackage).toBe('passed');
	// What n8n Cloud does not allow.
	expect(ofUndiciBuild).toContain('no-restricted-globals');
	expect(ofUndiciBuild).toContain('no-restricted-imports');
});
