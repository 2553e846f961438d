import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OUTPUT, PROJECT, ROOT } from './folders';
import { instrument } from './instrument';
import { mutant } from './mutant';

const LIST = join(OUTPUT, 'mutants.json');

const mutants = z.array(mutant);

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
	execFileSync('npx', ['gulp', 'build', 'build:cloud'], { cwd: PROJECT, stdio: 'inherit' });
	writeFileSync(LIST, JSON.stringify(drawn));
}
