import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const NAME = 'n8n-nodes-generation-service';

interface Packed {
	size: number;
	filename: string;
	files: Array<{ path: string }>;
}

/**
 * Packs a build as for publishing and extracts only the tarball, like n8n's installer, beside packages that n8n provides.
 * @param provided the folders of these packages, by name, besides n8n-workflow
 */
export function installPackage(build: string, provided: Record<string, string> = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'package-'));
	const report = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{ cwd: build, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	const [packed] = JSON.parse(report) as [Packed];
	const modules = join(folder, 'node_modules');
	const installed = join(modules, NAME);
	mkdirSync(installed, { recursive: true });
	const tarball = join(folder, packed.filename);
	execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
	const all = { 'n8n-workflow': join(ROOT, 'node_modules/n8n-workflow'), ...provided };
	for (const [name, path] of Object.entries(all)) symlinkSync(path, join(modules, name));
	return { packed, installed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Versions of n8n-workflow that older versions of n8n left in the folder of community packages. */
export const LEFT_WORKFLOWS = ['1.48', '1.70', '1.82'];

/** Runs every node of a build beside a package, which nodes find before that of n8n. */
export function expectNodesRunBeside(build: string, provided: Record<string, string>): void {
	const { installed, remove } = installPackage(build, provided);
	try {
		expectNodesRun(installed);
	} finally {
		remove();
	}
}

/** What loading the nodes prints where the n8n-workflow beside the package exports nothing. */
export function loadBesideEmptyWorkflow(build: string) {
	const workflow = mkdtempSync(join(tmpdir(), 'n8n-workflow-'));
	writeFileSync(join(workflow, 'index.js'), '');
	const { installed, remove } = installPackage(build, { 'n8n-workflow': workflow });
	const load = `for (const file of require('./package.json').n8n.nodes) require('./' + file);`;
	// As n8n does, without the folders of the links.
	const options = ['--preserve-symlinks', '-e', load];
	const { stderr } = spawnSync(process.execPath, options, { cwd: installed, encoding: 'utf8' });
	remove();
	rmSync(workflow, { recursive: true });
	return { stderr, folder: join(installed, '../n8n-workflow') };
}

/** Runs every node of an installed package, and checks what comes out. @param options of Node.js */
export function expectNodesRun(installed: string, ...options: string[]): void {
	const output = execFileSync(
		join(ROOT, 'node_modules/.bin/tsx'),
		[...options, join(__dirname, 'runInstalled.ts'), installed],
		{ encoding: 'utf8', cwd: ROOT },
	);
	const results = JSON.parse(output) as Record<string, Array<Record<string, unknown>>>;
	expect(results.chatCompletion?.[0]?.text).toEqual(expect.any(String));
	expect(results.listModels?.length).toBeGreaterThan(1);
	expect(results.videoGeneration?.[0]?.status).toBe('completed');
}

/** The files of a tarball that n8n does not need. @param gateway the names of those of the gateway */
export function unneededFiles({ files }: Packed, gateway: RegExp): string[] {
	return files
		.map(({ path }) => path)
		.filter((path) => !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path))
		.filter((path) => !(path.startsWith('dist/gateway/') && gateway.test(path.slice(13))))
		.filter(
			(path) => !/^dist\/(nodes|credentials)\/.+\.(js|json)$|^dist\/icons\/.+\.svg$/.test(path),
		);
}
