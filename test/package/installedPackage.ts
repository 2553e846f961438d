import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Results, runInstalled } from './runInstalled';

const ROOT = resolve(__dirname, '../..');
const NAME = 'n8n-nodes-generation-service';

interface Packed {
	size: number;
	filename: string;
	files: Array<{ path: string }>;
}

/** The folder of the n8n-workflow in which the tests run. */
const OWN_WORKFLOW = require.resolve('n8n-workflow').replace(/(?<=[\\/]n8n-workflow)[\\/].*/, '');

/** A build, packed as for publishing. What a test file installs of it is removed at the end of the file. */
export function usePackage(build: string) {
	const folder = mkdtempSync(join(tmpdir(), 'package-'));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
	const report = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{ cwd: build, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	const [packed] = JSON.parse(report) as [Packed];
	/**
	 * Extracts only the tarball, like n8n's installer, into a folder of community packages, behind which are n8n's own.
	 * @param beside the folders of packages in that folder, by name
	 * @param n8nWorkflow the folder of n8n's own n8n-workflow
	 */
	const install = (beside: Record<string, string> = {}, n8nWorkflow = OWN_WORKFLOW) => {
		const n8n = mkdtempSync(join(folder, 'n8n-'));
		const modules = join(n8n, 'nodes/node_modules');
		const installed = join(modules, NAME);
		mkdirSync(installed, { recursive: true });
		const tarball = join(folder, packed.filename);
		execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
		for (const [name, path] of Object.entries(beside)) symlinkSync(path, join(modules, name));
		mkdirSync(join(n8n, 'node_modules'));
		symlinkSync(n8nWorkflow, join(n8n, 'node_modules/n8n-workflow'));
		return installed;
	};
	return { packed, install };
}

/** Versions of n8n-workflow that older versions of n8n left in the folder of community packages. */
export const LEFT_WORKFLOWS = ['1.48', '1.70', '1.82'];

/** What a process that only loads the nodes says, with code that runs before. */
export function loadNodes(installed: string, before = ''): string {
	const load = `${before}; for (const file of require('./package.json').n8n.nodes) require('./' + file);`;
	const options = { cwd: installed, encoding: 'utf8' } as const;
	return spawnSync(process.execPath, ['-e', load], options).stderr;
}

/** The sentence with which the nodes fail to load in an older n8n. */
export const NEEDS_N8N =
	/^Error: The nodes of the Generation Service need n8n 2\.20 or later\. Update n8n\.$/m;
/** The n8n-workflow of an n8n that is too old. */
export const OLD_WORKFLOW = join(ROOT, 'node_modules/n8n-workflow-1.82');

/** Runs every node of an installed package, and checks what comes out. */
export async function expectNodesRun(installed: string): Promise<void> {
	expectResults(await runInstalled(installed));
}

/** The same in a process of its own. @param options of Node.js */
export function expectNodesRunWith(options: string[], installed: string): void {
	const output = execFileSync(
		join(ROOT, 'node_modules/.bin/tsx'),
		[...options, join(__dirname, 'runInstalled.ts'), installed],
		{ encoding: 'utf8', cwd: ROOT },
	);
	expectResults(JSON.parse(output) as Results);
}

function expectResults(results: Results): void {
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
