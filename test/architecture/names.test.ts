import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** Files that take the place of others in the verified build, and have their names. */
const REPLACING = 'gateway/verified/**';

/** The functions, constants, types and classes at the top level of a file. */
function namesIn(file: string): string[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(join(ROOT, file), 'utf8'),
		ts.ScriptTarget.Latest,
	);
	return source.statements.flatMap((statement) => {
		if (ts.isVariableStatement(statement))
			return statement.declarationList.declarations.flatMap(({ name }) => boundBy(name));
		const isNamed =
			ts.isFunctionDeclaration(statement) ||
			ts.isClassDeclaration(statement) ||
			ts.isInterfaceDeclaration(statement) ||
			ts.isTypeAliasDeclaration(statement) ||
			ts.isEnumDeclaration(statement);
		return isNamed && statement.name ? [statement.name.text] : [];
	});
}

function boundBy(name: ts.BindingName): string[] {
	if (ts.isIdentifier(name)) return [name.text];
	return name.elements.flatMap((element) =>
		ts.isBindingElement(element) ? boundBy(element.name) : [],
	);
}

test('a top-level name has one meaning: no two files of nodes/ and gateway/ define it', () => {
	const files = globSync('{nodes,gateway}/**/*.ts', {
		cwd: ROOT,
		ignore: [REPLACING, '**/*.d.ts'],
	}).sort();
	const definedIn = new Map<string, string[]>();
	for (const file of files)
		for (const name of new Set(namesIn(file)))
			definedIn.set(name, [...(definedIn.get(name) ?? []), file]);
	const shared = [...definedIn].filter(([, places]) => places.length > 1);
	expect(shared.map(([name, places]) => `${name}: ${places.join(', ')}`)).toEqual([]);
});
