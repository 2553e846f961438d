const { readFile } = require('node:fs/promises');
const path = require('node:path');

const FILES = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license'];

/**
 * The licences of the packages that a bundle contains, as one text. Where `node_modules` is a link, esbuild names the folder
 * that it leads to.
 * @param {string[]} inputs the files of the bundle, as esbuild names them
 * @throws when there is none, since the bundle is never without third-party code, and when a package has none
 */
async function bundledLicences(inputs) {
	const folders = inputs.flatMap(
		(file) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
	);
	if (folders.length === 0) throw new Error('The bundle has no third-party code to name');
	const licences = await Promise.all([...new Set(folders)].sort().map(licenceIn));
	return licences.join('\n\n');
}

async function licenceIn(folder) {
	const { name, version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	for (const file of FILES) {
		const text = await readFile(path.join(folder, file), 'utf8').catch(() => '');
		if (text.trim() !== '') return `${name} ${version}\n\n${text}`;
	}
	throw new Error(`${name} is bundled but has no licence file to ship`);
}

module.exports = { bundledLicences };
