import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
let folder: string;
let installed: string;
let packed: { size: number; files: Array<{ path: string }> };

/** Packs the package as for publishing and extracts only the tarball, like n8n's installer. */
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'package-'));
	const report = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{ cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	packed = (JSON.parse(report) as Array<typeof packed & { filename: string }>)[0]!;
	const modules = join(folder, 'node_modules');
	installed = join(modules, 'n8n-nodes-generation-service');
	mkdirSync(installed, { recursive: true });
	const tarball = join(folder, (packed as typeof packed & { filename: string }).filename);
	execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
	// n8n provides n8n-workflow. The package must contain everything else.
	symlinkSync(join(root, 'node_modules/n8n-workflow'), join(modules, 'n8n-workflow'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = () =>
	JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
		dependencies?: object;
		peerDependencies: object;
		peerDependenciesMeta?: object;
		n8n: { nodes: string[]; credentials: string[] };
	};

test('the package is at most 215 kB', () => {
	expect(packed.size).toBeLessThanOrEqual(215_000);
});

test('the package has no dependencies and contains the licences of its bundled packages', () => {
	expect(manifest().dependencies).toBeUndefined();
	const licences = readFileSync(join(installed, 'dist/gateway/THIRD_PARTY_LICENSES'), 'utf8');
	expect(licences).toMatch(/^undici /m);
	expect(licences).toMatch(/^zod /m);
});

const { bundledLicences } = jest.requireActual<{
	bundledLicences: (inputs: string[]) => Promise<string>;
}>('../../bundledLicences.js');

test('a build that names no licence fails', async () => {
	const inputs = ['gateway/index.ts', 'gateway/client.ts'];
	await expect(bundledLicences(inputs)).rejects.toThrow('no third-party code');
	await expect(bundledLicences([...inputs, 'node_modules/.bin/x'])).rejects.toThrow();
});

test('licences are found where node_modules is a link to another folder', async () => {
	const elsewhere = join(relative(process.cwd(), root), 'node_modules/zod/v4/index.js');
	const absolute = join(root, 'node_modules/undici/lib/api/index.js');
	expect(await bundledLicences([elsewhere, absolute])).toMatch(/^undici .*^zod /ms);
});

test("git ignores the compose file's passwords", () => {
	expect(execFileSync('git', ['check-ignore', '.env'], { cwd: root, encoding: 'utf8' })).toBe(
		'.env\n',
	);
});

test('npm installs the package alone, without what n8n provides', () => {
	const { peerDependencies, peerDependenciesMeta } = manifest();
	const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
	expect(optional).not.toEqual([]);
	expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
});

test('the package contains only files that n8n needs', () => {
	const unexpected = packed.files
		.map(({ path }) => path)
		.filter((path) => !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(path))
		.filter(
			(path) => !/^dist\/gateway\/((client|index|undici)\.js|THIRD_PARTY_LICENSES)$/.test(path),
		)
		.filter(
			(path) => !/^dist\/(nodes|credentials)\/.+\.(js|json)$|^dist\/icons\/.+\.svg$/.test(path),
		);
	expect(unexpected).toEqual([]);
});

test('every node has a codex file and its own icon', () => {
	const icons = manifest().n8n.nodes.map((node) => {
		const file = join(installed, node);
		expect(existsSync(file.replace(/\.js$/, '.json'))).toBe(true);
		return iconsOf(file);
	});
	expect(icons).toEqual(icons.map(() => [expect.any(String), expect.stringMatching(/dark/)]));
	expect(new Set(icons.flat()).size).toBe(2 * icons.length);
	const { credentials } = manifest().n8n;
	for (const icon of [icons, credentials.map((file) => iconsOf(join(installed, file)))].flat(2)) {
		expect(existsSync(icon)).toBe(true);
	}
});

/** The files of the light and dark icons of a node or credential. */
function iconsOf(file: string): string[] {
	const names = readFileSync(file, 'utf8').matchAll(/file:([./\w]+\.svg)/g);
	return [...names].map(([, name = '']) => join(dirname(file), name));
}

test('every node of the installed tarball runs', () => {
	const output = execFileSync(
		join(root, 'node_modules/.bin/tsx'),
		[join(__dirname, 'runInstalled.ts'), installed],
		{ encoding: 'utf8', cwd: root },
	);
	const results = JSON.parse(output) as Record<string, Array<Record<string, unknown>>>;
	expect(results.chatCompletion?.[0]?.text).toEqual(expect.any(String));
	expect(results.listModels?.length).toBeGreaterThan(1);
	expect(results.videoGeneration?.[0]?.status).toBe('completed');
});
