import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { OUTPUT, PROJECT, ROOT } from './folders';
import { instrument } from './instrument';
import { mutant, type Mutant } from './mutant';
import { type Change, changed } from './written/change';
import { WRITTEN } from './written/list';

const LIST = join(OUTPUT, 'mutants.json');

const mutants = z.object({ drawn: z.array(mutant), written: z.array(mutant) });

/** @returns all mutants of the copy, which is made and built unless it is there already */
export async function openProject(): Promise<z.infer<typeof mutants>> {
	if (!existsSync(LIST)) await makeProject();
	return mutants.parse(JSON.parse(readFileSync(LIST, 'utf8')));
}

async function makeProject(): Promise<void> {
	const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
	const names = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
	for (const name of names.filter((each) => each !== '' && existsSync(join(ROOT, each))))
		cpSync(join(ROOT, name), join(PROJECT, name));
	symlinkSync(join(ROOT, 'node_modules'), join(PROJECT, 'node_modules'));
	const { files, mutants: drawn } = await instrument(ROOT);
	for (const { name, content } of files) writeFileSync(join(PROJECT, name), content);
	const written = WRITTEN.map(place);
	execFileSync('npx', ['gulp', 'build', 'build:cloud'], { cwd: PROJECT, stdio: 'inherit' });
	writeFileSync(LIST, JSON.stringify({ drawn, written }));
}

/** Puts the changed file beside the one without the change, and a switch between the two in its place. */
function place(change: Change, index: number): Mutant {
	const { name, file, from, to } = change;
	const id = `written${index}`;
	const path = join(PROJECT, file);
	const folder = dirname(path);
	const base = basename(file, '.ts');
	const source = changed(change);
	cpSync(path, join(folder, `${base}.without.${id}.ts`));
	writeFileSync(join(folder, `${base}.${id}.ts`), `// @ts-nocheck\n${source}`);
	writeFileSync(
		path,
		`// @ts-nocheck\nglobalThis.mutants?.covers('${id}');\nexport = globalThis.mutants?.isActive('${id}') ? require('./${base}.${id}') : require('./${base}.without.${id}');\n`,
	);
	const line = readFileSync(join(ROOT, file), 'utf8').split(from)[0]?.split('\n').length ?? 0;
	return { id, file, line, kind: name, from, to };
}
