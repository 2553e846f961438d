import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { preProcessFile } from 'typescript';

const root = resolve(__dirname, '../..');

/** The layers of the gateway from top to bottom. A file may import from its own layer or a lower one. */
const LAYERS = [
	// Files that replace others in the verified build.
	['cloud'],
	['index'],
	['client'],
	['stream', 'video'],
	['parseResponse', 'sendRequest', 'attemptLog'],
	['http'],
	['limits'],
	['schemas', 'credential', 'clock'],
	['errors', 'redaction', 'hash', 'wallTime'],
];

const files = globSync('{gateway,nodes,credentials,simulator,demo,bench}/**/*.ts', {
	cwd: root,
	ignore: '**/node_modules/**',
}).sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The files of the project that a file imports, including type imports. */
function importsOf(file: string): string[] {
	const { importedFiles } = preProcessFile(readFileSync(join(root, file), 'utf8'));
	return importedFiles.flatMap(({ fileName }) => {
		if (!fileName.startsWith('.')) return [];
		const path = relative(root, resolve(root, dirname(file), fileName.replace(/\.js$/, '')));
		return [`${path}.ts`, join(path, 'index.ts')].filter((name) => files.includes(name));
	});
}

test('there are no circular imports, also of types', () => {
	const done = new Set<string>();
	const cycles: string[] = [];
	const visit = (file: string, path: string[]) => {
		if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
		if (path.includes(file) || done.has(file)) return;
		for (const imported of imports.get(file) ?? []) visit(imported, [...path, file]);
		done.add(file);
	};
	files.forEach((file) => visit(file, []));
	expect(cycles).toEqual([]);
});

test('the gateway imports only from the same or a lower layer', () => {
	const layerOf = (file: string) => {
		const [, folder = ''] = file.replace(/\.ts$/, '').split('/');
		return LAYERS.findIndex((folders) => folders.includes(folder));
	};
	const inGateway = files.filter((file) => file.startsWith('gateway/'));
	expect(inGateway.filter((file) => layerOf(file) === -1)).toEqual([]);
	const upwards = inGateway.flatMap((file) =>
		(imports.get(file) ?? [])
			.filter((imported) => layerOf(imported) < layerOf(file))
			.map((imported) => `${file} → ${imported}`),
	);
	expect(upwards).toEqual([]);
});
