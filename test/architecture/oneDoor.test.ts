import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const root = resolve(__dirname, '../..');
const files = globSync('gateway/**/*.ts', { cwd: root });
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A file, and all that it imports, all the way. */
function withImports(file: string, found = new Set<string>()): Set<string> {
	if (found.has(file)) return found;
	found.add(file);
	for (const { fileName } of ts.preProcessFile(read(file)).importedFiles) {
		const path = relative(root, resolve(root, dirname(file), fileName));
		if (fileName.startsWith('.') && files.includes(`${path}.ts`)) withImports(`${path}.ts`, found);
	}
	return found;
}

function expressionsIn(file: string): number {
	let count = 0;
	const visit = (node: ts.Node): void => {
		const isMade = ts.isNewExpression(node) && node.expression.getText() === 'RegExp';
		if (isMade || ts.isRegularExpressionLiteral(node)) count += 1;
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return count;
}

// The interface reads like its document, as long as what others send is behind one door.
test.each([
	['gateway/schemas/video.ts', 6],
	['gateway/schemas/chat.ts', 5],
])('%s is understood with at most %i files', (file, most) => {
	expect(withImports(file).size).toBeLessThanOrEqual(most);
});

test('few regular expressions of the gateway are outside the dialects', () => {
	const outside = files.filter((file) => !file.startsWith('gateway/dialects/'));
	const count = outside.reduce((sum, file) => sum + expressionsIn(file), 0);
	expect(count).toBeLessThanOrEqual(70);
});
