const { copyFile, mkdir, readFile, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { execFile } = require('node:child_process');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { glob } = require('tinyglobby');
const { bundledLicences } = require('./bundledLicences');

const run = promisify(execFile);

/** The verified build has a folder and a package.json of its own. */
const VERIFIED = 'dist-verified';
const VERIFIED_DIST = path.join(VERIFIED, 'dist');

const clean = (folder) => () => rm(folder, { recursive: true, force: true });

/** The nodes and the credential, one JavaScript file each, as n8n loads them. */
const compile = (dist) => async () => {
	const tsc = require.resolve('typescript/bin/tsc');
	await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist]);
};

const BUNDLED = {
	bundle: true,
	platform: 'node',
	target: 'node22',
	format: 'cjs',
	legalComments: 'none',
	metafile: true,
};

const CLIENT = 'gateway/client.js';
/** A schema of the nodes, which may not require zod by themselves: n8n's own may be an older one. */
const BOOK_SCHEMA = 'nodes/shared/book/schema';
const CLIENT_ENTRY = {
	contents: `export * from './gateway/index'; export * from './${BOOK_SCHEMA}';`,
	loader: 'ts',
	resolveDir: __dirname,
};

/**
 * The parts of undici that the client uses, assembled as in undici's index. The index also loads `fetch`, WebSocket, mocks
 * and caches, which makes a first run three times as slow.
 */
const UNDICI = `
	import connect from 'undici/lib/api/api-connect.js';
	import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
	Object.assign(Dispatcher.prototype, { connect });
	export { default as Agent } from 'undici/lib/dispatcher/agent.js';
	export { default as Client } from 'undici/lib/dispatcher/client.js';
	export { default as buildConnector } from 'undici/lib/core/connect.js';
	export { default as Pool } from 'undici/lib/dispatcher/pool.js';
	export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
`;

/** What undici loads for HTTP/2, SOCKS proxies and bodies other than texts and bytes: the client uses none of them. */
const unusedUndici = {
	name: 'unused-undici',
	setup: ({ onLoad }) =>
		onLoad({ filter: /\/(?:client-h2|socks5-[\w-]+|web\/.+)\.js$/ }, () => ({ contents: '' })),
};

/** Each tarball has a version of its own, which the client reads from its package.json. */
const ownManifest = {
	name: 'own-manifest',
	setup: ({ onResolve }) =>
		onResolve({ filter: /^(\.\.\/)+package\.json$/ }, () => ({
			path: '../../package.json',
			external: true,
		})),
};

/**
 * The gateway with its third-party code: the published package has no dependencies, so nothing of it can clash with
 * the versions that n8n itself runs. Their licences are in a file beside it. n8n loads all nodes at its start, and
 * most of its processes never run one of ours, so the bundle is loaded after them.
 */
async function bundle() {
	const builds = await Promise.all([
		esbuild.build({
			...BUNDLED,
			minify: true,
			stdin: CLIENT_ENTRY,
			outfile: path.join('dist', CLIENT),
			alias: { undici: './undici.js' },
			external: ['./undici.js'],
			plugins: [ownManifest],
		}),
		esbuild.build({
			...BUNDLED,
			minify: true,
			stdin: {
				contents: UNDICI,
				resolveDir: __dirname,
			},
			outfile: 'dist/gateway/undici.js',
			// As in the undici of Node.js itself: without its second, experimental HTTP parser.
			define: { esbuildDetection: 'true' },
			plugins: [unusedUndici],
		}),
	]);
	await writeLazyIndex('dist');
	const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
	await writeFile('dist/gateway/THIRD_PARTY_LICENSES', await bundledLicences(inputs));
}

/**
 * The gateway of the verified build, with replacements for the files that touch Node.js, and the zod of n8n. It is readable for
 * verification: not minified, without third-party code.
 */
async function bundleVerified() {
	const replacements = require('./gateway/verified/replacements.json');
	const replace = {
		name: 'replace',
		setup: ({ onResolve }) =>
			onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir }) => {
				const file = path.relative(__dirname, path.join(resolveDir, name)).replaceAll('\\', '/');
				const replacement = replacements[file];
				return replacement && { path: path.resolve(`${replacement}.ts`) };
			}),
	};
	await esbuild.build({
		...BUNDLED,
		stdin: CLIENT_ENTRY,
		outfile: path.join(VERIFIED_DIST, CLIENT),
		plugins: [ownManifest, replace],
		alias: { zod: 'zod/v4' },
		external: ['n8n-workflow', 'zod/v4'],
	});
	await writeLazyIndex(VERIFIED_DIST);
}

/**
 * The nodes import this instead of the client: it has all names of the client, and loads it when one of them but the bounds of
 * numbers, which forms show, is used, at
 * the latest when the code that loads the nodes is done. Later it may be gone: n8n moves the folder while it updates the
 * package, and Jest lets no module load another when its test file is over.
 */
async function writeLazyIndex(dist) {
	const { BOUNDS, ...others } = require(path.resolve(dist, CLIENT));
	const names = Object.keys(others);
	const index = `'use strict';
${dist === VERIFIED_DIST ? '' : CHECK_OF_NODE}${CHECK_OF_N8N}${await checkOfN8nWorkflow(dist)}
let client;
${LOAD}
for (const name of ${JSON.stringify(names)}) {
	Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });
}
exports.BOUNDS = ${JSON.stringify(BOUNDS)};
// What fails here is reported by the first run.
Promise.resolve().then(load).catch(() => {});
`;
	await writeFile(path.join(dist, 'gateway/index.js'), index);
	const schema = "'use strict';\nmodule.exports = require('../../../gateway/index.js');\n";
	await writeFile(path.join(dist, `${BOOK_SCHEMA}.js`), schema);
}

/** undici 8 needs it. The verified build has no undici, and n8n 2.20 itself needs Node.js 22.16. */
const CHECK_OF_NODE = `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19))
	throw new Error('The nodes of the Generation Service need Node.js 22.19 or later, and this n8n runs in ' + process.versions.node + '.');
`;

/**
 * n8n 2.16 has no function sanitizeXmlName, and n8n 2.20 has it. An n8n-workflow that an older n8n left among the community packages
 * is found before n8n's own.
 */
const CHECK_OF_N8N = `const hasFunctionOf220 = (name) => {
	try {
		return Boolean(require(name).sanitizeXmlName);
	} catch {
		return false;
	}
};
const folders = require.resolve.paths('n8n-workflow');
if (!['n8n-workflow', ...folders.map((folder) => folder + '/n8n-workflow')].some(hasFunctionOf220))
	throw new Error('The nodes of the Generation Service need n8n 2.20 or later. Update n8n.');
`;

/**
 * An n8n-workflow that lacks what the compiled nodes use of it is named with its folder: n8n hides a TypeError behind
 * "Class could not be found". They read what only newer ones have from a namespace, and live without it.
 */
async function checkOfN8nWorkflow(dist) {
	const files = await glob('nodes/**/*.js', { cwd: dist, absolute: true });
	const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
	const used = new Set(texts.join().match(/(?<=\bn8n_workflow_1\.)\w+/g));
	return `const lacking = ${JSON.stringify([...used].sort())}.filter((name) => !require('n8n-workflow')[name]);
if (lacking.length > 0) {
	const file = require.resolve('n8n-workflow');
	const [folder] = /.+[\\\\/]n8n-workflow(?=[\\\\/])/.exec(file) || [file];
	throw new Error(
		'The nodes of the Generation Service cannot use the n8n-workflow in ' + folder + ', which lacks ' + lacking +
			'. An older n8n left it: delete that folder, then restart n8n.',
	);
}`;
}

/**
 * n8n looks for zod in its folder of community packages before its own. An older one there, which another package
 * installed, has no `zod/v4`.
 */
const LOAD = `function load() {
	try {
		return (client ??= require('./${path.basename(CLIENT)}'));
	} catch (error) {
		const message = String(error && error.message);
		if (!/zod[\\\\/](v4|package\\.json)/.test(message)) throw error;
		const [, folder = '~/.n8n/nodes/node_modules/zod'] = / in (.+)[\\\\/]package\\.json/.exec(message) || [];
		throw new Error(
			'The nodes of the Generation Service cannot use the outdated zod among the community packages of this n8n. ' +
				'Delete the folder ' + folder + ', then restart n8n.',
			{ cause: error },
		);
	}
}`;

/** n8n verifies only packages that use nothing but n8n. */
async function describeVerified() {
	const { scripts, devDependencies, ...manifest } = JSON.parse(
		await readFile('package.json', 'utf8'),
	);
	const described = { ...manifest, n8n: { ...manifest.n8n, strict: true } };
	await writeFile(
		path.join(VERIFIED, 'package.json'),
		`${JSON.stringify(described, undefined, 2)}\n`,
	);
	for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) {
		await copyFile(file, path.join(VERIFIED, file));
	}
}

const copyIcons = (dist) => () =>
	src('icons/*.svg', { encoding: false }).pipe(dest(path.join(dist, 'icons')));

/** What n8n reads beside a node's JavaScript: search words and links. */
const copyDescriptions = (dist) => () =>
	src('nodes/**/*.node.json').pipe(dest(path.join(dist, 'nodes')));

/** Where n8n's editor finds the fields of a node's output before its first run: in `__schema__` beside the node. */
const writeOutputFields = (dist) => async () => {
	for (const file of require('./package.json').n8n.nodes.map((name) =>
		path.relative('dist', name),
	)) {
		const [Node] = Object.values(require(path.resolve(dist, file)));
		for (const [name, fields] of Object.entries(new Node().outputFields ?? {})) {
			const schema = path.join(dist, path.dirname(file), '__schema__', `${name}.json`);
			await mkdir(path.dirname(schema), { recursive: true });
			await writeFile(schema, JSON.stringify({ ...schemaOf(fields), version: 1 }));
		}
	}
};

const schemaOf = (fields) =>
	typeof fields === 'string'
		? { type: fields }
		: {
				type: 'object',
				properties: Object.fromEntries(
					Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]),
				),
			};

const steps = (folder, dist, ...more) =>
	series(
		named('clean', clean(folder)),
		named('compile', compile(dist)),
		parallel(
			...more,
			named('copyIcons', copyIcons(dist)),
			named('copyDescriptions', copyDescriptions(dist)),
		),
		named('writeOutputFields', writeOutputFields(dist)),
	);

/** gulp shows a step under this name. */
const named = (displayName, step) => Object.assign(step, { displayName });

exports.clean = named('clean', clean('dist'));
/** Under the name that it has in n8n's node starter. */
exports['build:icons'] = named('build:icons', copyIcons('dist'));
exports.build = steps('dist', 'dist', bundle);
exports['build:verified'] = steps(VERIFIED, VERIFIED_DIST, bundleVerified, describeVerified);
exports.default = exports.build;
