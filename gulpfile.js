const { rm, writeFile, readFile, access } = require('node:fs/promises');
const path = require('node:path');
const { execFile } = require('node:child_process');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

const clean = () => rm('dist', { recursive: true, force: true });

/** The nodes and the credential, one JavaScript file each, as n8n loads them. */
const compile = () =>
	run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json']);

const BUNDLED = {
	bundle: true,
	minify: true,
	platform: 'node',
	target: 'node20',
	format: 'cjs',
	legalComments: 'none',
	metafile: true,
};

/**
 * The gateway with its third-party code: the published package has no dependencies, so nothing of it can clash with
 * the versions that n8n itself runs. The licences of what is inside lie beside it. undici has a file of its own, which
 * the first request loads: only reading it would double the time that n8n takes to load the nodes.
 */
async function bundle() {
	// The compiler followed the nodes' imports into the gateway; one file takes the place of what it wrote there.
	await rm('dist/gateway', { recursive: true, force: true });
	const builds = await Promise.all([
		esbuild.build({
			...BUNDLED,
			entryPoints: ['gateway/index.ts'],
			outfile: 'dist/gateway/index.js',
			alias: { undici: './undici.js' },
			external: ['./undici.js'],
			supported: { 'dynamic-import': false },
		}),
		esbuild.build({
			...BUNDLED,
			stdin: {
				contents: "export { Agent, EnvHttpProxyAgent } from 'undici'",
				resolveDir: __dirname,
			},
			outfile: 'dist/gateway/undici.js',
		}),
	]);
	const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
	const packages = new Set(
		inputs.flatMap((file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
	);
	const licences = await Promise.all([...packages].sort().map(licenceOf));
	await writeFile('dist/gateway/THIRD_PARTY_LICENSES', licences.join('\n\n'));
}

async function licenceOf(name) {
	const folder = path.join('node_modules', name);
	const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	for (const file of ['LICENSE', 'LICENSE.md', 'LICENCE', 'license']) {
		const candidate = path.join(folder, file);
		const found = await access(candidate).then(
			() => true,
			() => false,
		);
		if (found) return `${name} ${version}\n\n${await readFile(candidate, 'utf8')}`;
	}
	throw new Error(`${name} is bundled but has no licence file to ship`);
}

const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** What n8n reads from beside the nodes' JavaScript: search words and links, and the fields of the output. */
const copyDescriptions = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json']).pipe(dest('dist/nodes'));

exports.clean = clean;
exports.build = series(clean, compile, parallel(bundle, copyIcons, copyDescriptions));
exports.default = exports.build;
