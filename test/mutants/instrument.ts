import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodePath } from '@babel/core';
import { globSync } from 'tinyglobby';
import type { Mutant } from './mutant';

/** Each file gets its switch from the process that plays it; without one, nothing is changed. */
const SWITCH =
	'// @ts-nocheck\nconst { isActive: stryMutAct_9fa48, covers: stryCov_9fa48 } = globalThis.mutants ?? { isActive: () => false, covers: () => {} };\n';

/** Not drawn: literals that are mostly texts and forms, and expressions whose changes are mostly equivalent. */
const NOT_DRAWN = ['ArrayDeclaration', 'ObjectLiteral', 'Regex'];

const STORES = new Set([
	'ObjectProperty',
	'AssignmentExpression',
	'ReturnStatement',
	'ArrayExpression',
]);
const LOOKUPS = new Set(['has', 'get', 'includes', 'startsWith', 'endsWith']);

/** @returns every source with all its mutants in it, and the mutants */
export async function instrument(root: string) {
	const { Instrumenter } = await import('@stryker-mutator/instrumenter');
	const names = globSync(['gateway/**/*.ts', 'nodes/**/*.ts'], { cwd: root }).sort();
	const sources = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
	const { files, mutants } = await new Instrumenter(silent).instrument(
		[...sources].map(([name, content]) => ({ name, content, mutate: true })),
		{ plugins: null, ignorers: [ignorer], excludedMutations: NOT_DRAWN, noHeader: true },
	);
	return {
		files: files.map(({ name, content }) => ({ name, content: SWITCH + content })),
		mutants: mutants
			.filter(({ status }) => status === undefined)
			.map(({ id, fileName, location: { start, end }, mutatorName, replacement }): Mutant => {
				const lines = (sources.get(fileName) ?? '').split('\n').slice(start.line, end.line + 1);
				lines.push((lines.pop() ?? '').slice(0, end.column));
				lines[0] = (lines[0] ?? '').slice(start.column);
				const from = lines.join('\n');
				return {
					id,
					file: fileName,
					line: start.line + 1,
					kind: mutatorName,
					from,
					to: replacement,
				};
			})
			// Texts with values in them are messages.
			.filter(({ from }) => !from.startsWith('`')),
	};
}

/** Labels, descriptions and prose: a form, and strings that are neither compared nor stored. */
const ignorer = {
	shouldIgnore(path: object): string | undefined {
		const { node, parent, scope } = path as NodePath;
		if (node.type === 'ObjectExpression') {
			const keys = node.properties.map((each) =>
				each.type === 'ObjectProperty' && each.key.type === 'Identifier' ? each.key.name : '',
			);
			return keys.includes('displayName') ? 'a form' : undefined;
		}
		if (node.type !== 'StringLiteral') return undefined;
		const isInList = parent.type === 'ArrayExpression';
		const isInFunction = scope.getFunctionParent() !== null;
		const isStored = STORES.has(parent.type) && (isInFunction || isInList);
		const isWord = /^[\w./-]+$/.test(node.value);
		return isCompared(parent) || (isStored && isWord) ? undefined : 'prose';
	},
};

function isCompared(parent: NodePath['parent']): boolean {
	if (parent.type === 'BinaryExpression') return /^[!=]==?$|^in$/.test(parent.operator);
	if (parent.type === 'CallExpression' || parent.type === 'OptionalCallExpression') {
		const { callee } = parent;
		const isMember =
			callee.type === 'MemberExpression' || callee.type === 'OptionalMemberExpression';
		return isMember && callee.property.type === 'Identifier' && LOOKUPS.has(callee.property.name);
	}
	return parent.type === 'SwitchCase';
}

const no = () => false;
const nothing = () => {};
const silent = {
	isTraceEnabled: no,
	isDebugEnabled: no,
	isInfoEnabled: no,
	isWarnEnabled: no,
	isErrorEnabled: no,
	isFatalEnabled: no,
	trace: nothing,
	debug: nothing,
	info: nothing,
	warn: nothing,
	error: nothing,
	fatal: nothing,
};
