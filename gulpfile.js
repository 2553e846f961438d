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

const CLIENT = 'dist/gateway/client.js';

/**
 * What the client uses of undici, put together as undici's index does it. The index reads its `fetch`, WebSocket, mocks
 * and caches as well, which takes a first run three times as long.
 */
const UNDICI = `
	import api from 'undici/lib/api/index.js';
	import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
	Object.assign(Dispatcher.prototype, api);
	export { default as Agent } from 'undici/lib/dispatcher/agent.js';
	export { default as Pool } from 'undici/lib/dispatcher/pool.js';
	export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
`;

/**
 * The gateway with its third-party code: the published package has no dependencies, so nothing of it can clash with
 * the versions that n8n itself runs. The licences of what is inside lie beside it. n8n loads all nodes at its start, and
 * most of its processes never run one of ours: all of this is read when a node first runs.
 */
async function bundle() {
	// The compiler followed the nodes' imports into the gateway; one file takes the place of what it wrote there.
	await rm('dist/gateway', { recursive: true, force: true });
	const builds = await Promise.all([
		esbuild.build({
			...BUNDLED,
			entryPoints: ['gateway/index.ts'],
			outfile: CLIENT,
			alias: { undici: './undici.js' },
			external: ['./undici.js'],
		}),
		esbuild.build({
			...BUNDLED,
			stdin: {
				contents: UNDICI,
				resolveDir: __dirname,
			},
			outfile: 'dist/gateway/undici.js',
		}),
	]);
	await writeFile('dist/gateway/index.js', doorTo(CLIENT));
	const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
	const packages = new Set(
		inputs.flatMap((file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
	);
	const licences = await Promise.all([...packages].sort().map(licenceOf));
	await writeFile('dist/gateway/THIRD_PARTY_LICENSES', licences.join('\n\n'));
}

/** What the nodes import in place of the client: all its names, and whoever uses one of them opens it. */
function doorTo(client) {
	const names = Object.keys(require(path.resolve(client)));
	return `'use strict';
let client;
const open = () => (client ??= require('./${path.basename(client)}'));
for (const name of ${JSON.stringify(names)}) {
	Object.defineProperty(exports, name, { enumerable: true, get: () => open()[name] });
}
`;
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
