import ts from 'typescript';

/** A small defect: a change of one place in a source file. */
export interface Mutant {
	file: string;
	line: number;
	kind: string;
	from: string;
	to: string;
	/** The file with the defect in it. */
	text: string;
}

interface Change {
	node: ts.Node;
	/** The last node that is changed. Default: the only one. */
	until?: ts.Node;
	kind: string;
	to: string;
}

const { SyntaxKind: Kind } = ts;

/** What takes the place of an operator: another one, or a bound that is off by one. */
const OPERATORS: Partial<Record<ts.SyntaxKind, { kind: string; to: string }>> = {
	[Kind.LessThanToken]: { kind: 'bound', to: '<=' },
	[Kind.LessThanEqualsToken]: { kind: 'bound', to: '<' },
	[Kind.GreaterThanToken]: { kind: 'bound', to: '>=' },
	[Kind.GreaterThanEqualsToken]: { kind: 'bound', to: '>' },
	[Kind.EqualsEqualsEqualsToken]: { kind: 'comparison', to: '!==' },
	[Kind.ExclamationEqualsEqualsToken]: { kind: 'comparison', to: '===' },
	[Kind.AmpersandAmpersandToken]: { kind: 'condition', to: '||' },
	[Kind.BarBarToken]: { kind: 'condition', to: '&&' },
	[Kind.PlusToken]: { kind: 'arithmetic', to: '-' },
	[Kind.MinusToken]: { kind: 'arithmetic', to: '+' },
	[Kind.AsteriskToken]: { kind: 'arithmetic', to: '/' },
};

/** The index of an item. */
const ITEM = /^(item|index|itemIndex|entry\.item)$/;

/** Every defect that can be put into a source file, in its order. */
export function mutantsOf(file: string, source: string): Mutant[] {
	const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
	const changes: Change[] = [];
	const visit = (node: ts.Node): void => {
		// Types, imports and the fields of a form do nothing.
		if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isForm(node)) return;
		changes.push(...changesOf(node));
		ts.forEachChild(node, visit);
	};
	visit(parsed);
	return changes.map(({ node, until = node, kind, to }) => {
		const [start, end] = [node.getStart(parsed), until.end];
		return {
			file,
			line: parsed.getLineAndCharacterOfPosition(start).line + 1,
			kind,
			from: source.slice(start, end),
			to,
			text: source.slice(0, start) + to + source.slice(end),
		};
	});
}

function isForm(node: ts.Node): boolean {
	return (
		ts.isObjectLiteralExpression(node) &&
		node.properties.some((each) => each.name?.getText() === 'displayName')
	);
}

function changesOf(node: ts.Node): Change[] {
	if (ts.isExpressionStatement(node)) return [{ node, kind: 'statement dropped', to: ';' }];
	if (ts.isAwaitExpression(node))
		return [{ node, kind: 'await dropped', to: node.expression.getText() }];
	if (ts.isCallExpression(node)) {
		const given = node.arguments.filter((each) => !ts.isSpreadElement(each));
		const ignored = given
			.filter((each) => each.getText() !== 'undefined')
			.map((each) => ({ node: each, kind: 'argument ignored', to: 'undefined' }));
		const ofFirst = given
			.filter((each) => ITEM.test(each.getText()))
			.map((each) => ({ node: each, kind: 'first item', to: '0' }));
		return [...ignored, ...ofFirst, ...swapped(given)];
	}
	if (ts.isTemplateExpression(node))
		return swapped(node.templateSpans.map(({ expression }) => expression));
	if (ts.isArrayLiteralExpression(node)) return swapped([...node.elements]);
	if (ts.isNumericLiteral(node)) {
		const value = Number(node.text.replaceAll('_', ''));
		return [{ node, kind: 'number', to: String(value + 1) }];
	}
	if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
		const condition = ts.isIfStatement(node) ? node.expression : node.condition;
		return [true, false].map((to) => ({ node: condition, kind: 'condition', to: String(to) }));
	}
	if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken)
		return [{ node, kind: 'condition', to: node.operand.getText() }];
	if (node.kind === Kind.TrueKeyword) return [{ node, kind: 'boolean', to: 'false' }];
	if (node.kind === Kind.FalseKeyword) return [{ node, kind: 'boolean', to: 'true' }];
	if (ts.isBinaryExpression(node)) {
		const change = OPERATORS[node.operatorToken.kind];
		return change ? [{ node: node.operatorToken, ...change }] : [];
	}
	return [];
}

/** Each two neighbours in each other's place, but for the words of a list. */
function swapped(nodes: ts.Node[]): Change[] {
	return nodes.slice(1).flatMap((until, index) => {
		const node = nodes[index]!;
		if (ts.isLiteralExpression(node) || ts.isFunctionLike(node) || ts.isFunctionLike(until))
			return [];
		const between = node.getSourceFile().text.slice(node.end, until.getStart());
		return [{ node, until, kind: 'swapped', to: until.getText() + between + node.getText() }];
	});
}
