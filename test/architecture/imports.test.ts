import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { preProcessFile } from 'typescript';

const root = resolve(__dirname, '../..');

/** The rooms of a folder from top to bottom: its files and folders. Imports go from left to right and from above to below. */
const ROOMS: Record<string, string[][]> = {
	gateway: [
		// Files that replace others in the verified build.
		['verified'],
		['index'],
		['client'],
		['stream', 'video'],
		['parseResponse', 'sendRequest', 'serviceRequest', 'attemptLog'],
		['http'],
		['limits'],
		['answer'],
		['schemas', 'errors', 'dialects', 'credential', 'redaction', 'clock'],
		['lineText', 'hash', 'wallTime'],
	],
	'nodes/shared': [['book', 'durableWait', 'editor'], ['run'], ['output'], ['form']],
	'nodes/VideoGeneration': [['VideoGeneration.node'], ['tasks'], ['operations'], ['form']],
	'nodes/VideoGeneration/tasks': [
		['run'],
		['wait'],
		['settle', 'submit'],
		['download'],
		['output'],
		['hints'],
		['log'],
		['advice', 'plan', 'stoppedRuns'],
	],
};

const files = globSync('{gateway,nodes,credentials,simulator,demo,bench,release}/**/*.ts', {
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

test.each(Object.entries(ROOMS))(
	'%s: every file is in a room, imports go down',
	(folder, rooms) => {
		const within = files.filter((file) => file.startsWith(`${folder}/`));
		const roomOf = (file: string) => {
			const [room = ''] = file
				.slice(folder.length + 1)
				.replace(/\.ts$/, '')
				.split('/');
			return rooms.findIndex((names) => names.includes(room));
		};
		expect(within.filter((file) => roomOf(file) === -1)).toEqual([]);
		const upwards = within.flatMap((file) =>
			(imports.get(file) ?? [])
				.filter((imported) => within.includes(imported) && roomOf(imported) < roomOf(file))
				.map((imported) => `${file} → ${imported}`),
		);
		expect(upwards).toEqual([]);
	},
);
