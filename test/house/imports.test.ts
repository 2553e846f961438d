import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { preProcessFile } from 'typescript';

const root = resolve(__dirname, '../..');

/** The rooms of the gateway from top to bottom. A file imports from its own row or from a lower one. */
const ROOMS = [
	// What the build for n8n Cloud puts in the place of other files.
	['cloud'],
	['index'],
	['client'],
	['stream', 'video'],
	['parseResponse', 'sendRequest'],
	['http'],
	['limits'],
	['schemas', 'credential', 'clock'],
	['errors', 'redaction', 'hash'],
];

const files = globSync('{gateway,nodes,credentials,bench}/**/*.ts', {
	cwd: root,
	exclude: (name) => name === 'node_modules',
}).sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The files of this project that a file imports, type imports included. */
function importsOf(file: string): string[] {
	const { importedFiles } = preProcessFile(readFileSync(join(root, file), 'utf8'));
	return importedFiles.flatMap(({ fileName }) => {
		if (!fileName.startsWith('.')) return [];
		const path = relative(root, resolve(root, dirname(file), fileName.replace(/\.js$/, '')));
		return [`${path}.ts`, join(path, 'index.ts')].filter((name) => files.includes(name));
	});
}

test('no import leads back to its file, not even one of types', () => {
	const done = new Set<string>();
	const cycles: string[] = [];
	const visit = (file: string, way: string[]) => {
		if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' → '));
		if (way.includes(file) || done.has(file)) return;
		for (const imported of imports.get(file) ?? []) visit(imported, [...way, file]);
		done.add(file);
	};
	files.forEach((file) => visit(file, []));
	expect(cycles).toEqual([]);
});

test('the imports of the gateway run down its rooms', () => {
	const rowOf = (file: string) => {
		const [, room = ''] = file.replace(/\.ts$/, '').split('/');
		return ROOMS.findIndex((rooms) => rooms.includes(room));
	};
	const inGateway = files.filter((file) => file.startsWith('gateway/'));
	expect(inGateway.filter((file) => rowOf(file) === -1)).toEqual([]);
	const upwards = inGateway.flatMap((file) =>
		(imports.get(file) ?? [])
			.filter((imported) => rowOf(imported) < rowOf(file))
			.map((imported) => `${file} → ${imported}`),
	);
	expect(upwards).toEqual([]);
});
