import { execFileSync } from 'node:child_process';
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
	 * Extracts only the tarball, like n8n's installer, beside packages that n8n provides.
	 * @param provided the folders of these packages, by name, besides n8n-workflow
	 */
	const install = (provided: Record<string, string> = {}) => {
		const modules = join(mkdtempSync(join(folder, 'n8n-')), 'node_modules');
		const installed = join(modules, NAME);
		mkdirSync(installed, { recursive: true });
		const tarball = join(folder, packed.filename);
		execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
		const all = { 'n8n-workflow': join(ROOT, 'node_modules/n8n-workflow'), ...provided };
		for (const [name, path] of Object.entries(all)) symlinkSync(path, join(modules, name));
		return installed;
	};
	return { packed, install };
}

/** Versions of n8n-workflow that older versions of n8n left in the folder of community packages. */
export const LEFT_WORKFLOWS = ['1.48', '1.70', '1.82'];

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
