import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
	expectNodesRun,
	expectNodesRunWith,
	LEFT_WORKFLOWS,
	loadNodes,
	NEEDS_N8N,
	OLD_WORKFLOW,
	unneededFiles,
	usePackage,
} from './installedPackage';

const root = resolve(__dirname, '../..');
const { packed, install } = usePackage(root);
const installed = install();

const manifest = () =>
	JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
		dependencies?: object;
		peerDependencies: object;
		peerDependenciesMeta?: object;
		n8n: { nodes: string[]; credentials: string[] };
	};

test('the package is at most 245 kB', () => {
	expect(packed.size).toBeLessThanOrEqual(245_000);
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

test('npm installs the package alone, without what n8n provides', () => {
	const { peerDependencies, peerDependenciesMeta } = manifest();
	const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
	expect(optional).not.toEqual([]);
	expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
});

test('the package contains only files that n8n needs', () => {
	const gateway = /^((client|index|undici)\.js|THIRD_PARTY_LICENSES)$/;
	expect(unneededFiles(packed, gateway)).toEqual([]);
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

test('every node of the installed tarball runs without zod beside it, and beside that of n8n', async () => {
	await expectNodesRun(installed);
	const paths = [dirname(require.resolve('@n8n/config'))];
	await expectNodesRun(install({ zod: dirname(require.resolve('zod/package.json', { paths })) }));
});

// Such as kvm64, which Proxmox gave virtual machines by default for long.
test('every node runs on a CPU without SSE4.1, which cannot compile the faster of two HTTP parsers', () => {
	expectNodesRunWith(['--no-enable-sse4-1'], installed);
});

test.each(LEFT_WORKFLOWS)(
	'every node runs beside the n8n-workflow %s of an older n8n',
	async (version) => {
		await expectNodesRun(
			install({ 'n8n-workflow': join(root, `node_modules/n8n-workflow-${version}`) }),
		);
	},
);

test('an n8n-workflow that lacks what the nodes use is named with its folder', () => {
	const folder = install();
	const workflow = join(folder, '../n8n-workflow');
	mkdirSync(workflow);
	writeFileSync(join(workflow, 'index.js'), '');
	const said = loadNodes(folder);
	expect(said).toMatch(/^Error: .* cannot use the n8n-workflow in /m);
	expect(said).toContain(`in ${workflow}, which lacks NodeApiError,`);
});

test('in an n8n before 2.20, and in a Node.js before 22.19, the nodes fail to load with one sentence', () => {
	expect(loadNodes(install({}, OLD_WORKFLOW))).toMatch(NEEDS_N8N);
	const inNode = (node: string) =>
		loadNodes(
			installed,
			`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`,
		);
	expect(inNode('22.18.0')).toMatch(
		/^Error: .* need Node\.js 22\.19 or later, and this n8n runs in 22\.18\.0\.$/m,
	);
	expect(inNode('22.19.0')).toBe('');
});
