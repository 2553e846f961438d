import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import equivalents from './equivalents.json';
import { ROOT } from './folders';
import { changed } from './written/change';
import { WRITTEN } from './written/list';

test.each(WRITTEN.map((change) => [change.name, change] as const))(
	'the mutant "%s" still applies to the source',
	(_, change) => {
		expect(changed(change)).not.toBe(readFileSync(join(ROOT, change.file), 'utf8'));
	},
);

test('every equivalent mutant is in a line that the source still has', () => {
	const gone = equivalents.filter(({ file, code }) => !linesOf(file).includes(code));
	expect(gone).toEqual([]);
});

function linesOf(file: string): string[] {
	const path = join(ROOT, file);
	const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
	return text.split('\n').map((line) => line.trim());
}
