import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** The names of parameters and fields whose text a user reads, and where. */
const ROLES = {
	message: 'message',
	advice: 'advice',
	adviceWithoutWords: 'advice',
	adviceWithoutParameter: 'advice',
	remedy: 'advice',
	rule: 'message',
	hint: 'hint',
	hints: 'hint',
	state: 'hint',
} as const;

type Role = (typeof ROLES)[keyof typeof ROLES];

/** What the product writes before texts of these names. */
const STARTS: Record<string, string> = { rule: '… ', state: '… is ' };

/** Functions that change nothing which a reader would notice. */
const ESCAPES = new Set(['asHtml', 'logMessage', 'withFullStop']);

/** What stands for a part that only a run knows. */
const VARIABLE = '…';

/** Texts that belong together: of one call, or of one object. */
export type UserTexts = Record<Role, string[]>;

/** The texts that users read, taken from the syntax trees of the product. */
export class TextReader {
	private readonly program: ts.Program;
	private readonly checker: ts.TypeChecker;
	/** Texts that could not be read, by their place. */
	readonly unreadable: string[] = [];

	constructor(
		files = globSync(['{gateway,nodes,credentials}/**/*.ts', '!gateway/**/*.d.ts'], { cwd: ROOT }),
	) {
		const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
			config: { compilerOptions: object };
		};
		const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
		this.program = ts.createProgram(
			files.map((file) => join(ROOT, file)),
			options,
		);
		this.checker = this.program.getTypeChecker();
	}

	read(): UserTexts[] {
		const found: UserTexts[] = [];
		const visit = (node: ts.Node): void => {
			if (ts.isCallExpression(node) || ts.isNewExpression(node)) found.push(this.ofCall(node));
			else if (ts.isObjectLiteralExpression(node) && !isArgument(node))
				found.push(this.ofObject(node));
			ts.forEachChild(node, visit);
		};
		for (const file of this.program.getSourceFiles())
			if (!file.isDeclarationFile && !file.fileName.includes('node_modules')) visit(file);
		return found.filter((texts) => Object.values(texts).some(({ length }) => length > 0));
	}

	private ofCall(call: ts.CallExpression | ts.NewExpression): UserTexts {
		const texts = none();
		const parameters = this.checker.getResolvedSignature(call)?.getDeclaration()?.parameters ?? [];
		for (const [index, argument] of (call.arguments ?? []).entries()) {
			const parameter = parameters[index];
			if (ts.isObjectLiteralExpression(argument)) merge(texts, this.ofObject(argument));
			else if (parameter && ts.isIdentifier(parameter.name) && isOurs(parameter))
				this.add(texts, parameter.name.text, argument);
		}
		if (!/hint/i.test(call.expression.getText())) return texts;
		return { ...none(), hint: [...texts.hint, ...texts.message] };
	}

	private ofObject(object: ts.ObjectLiteralExpression): UserTexts {
		const texts = none();
		for (const property of object.properties) {
			// Hints above the output are arguments. An object with a hint is a parameter, one with a state is a task.
			if (ROLES[property.name?.getText() as keyof typeof ROLES] === 'hint') continue;
			if (ts.isPropertyAssignment(property))
				this.add(texts, property.name.getText(), property.initializer);
			else if (ts.isShorthandPropertyAssignment(property))
				this.add(texts, property.name.text, property.name);
			else if (ts.isSpreadAssignment(property)) {
				const spread = this.initializerOf(property.expression);
				if (spread && ts.isObjectLiteralExpression(spread)) merge(texts, this.ofObject(spread));
			}
		}
		return texts;
	}

	private initializerOf(node: ts.Node): ts.Expression | undefined {
		const declaration = this.checker.getSymbolAtLocation(node)?.valueDeclaration;
		return declaration && ts.isVariableDeclaration(declaration)
			? declaration.initializer
			: undefined;
	}

	private add(texts: UserTexts, name: string, value: ts.Expression): void {
		const role = Object.hasOwn(ROLES, name) ? ROLES[name as keyof typeof ROLES] : undefined;
		if (role === undefined || !this.isText(value)) return;
		const read = this.textsOf(value).map((text) => (STARTS[name] ?? '') + text);
		texts[role].push(...read.filter(hasWords));
		if (read.length === 0 || read.some(hasWords)) return;
		const file = value.getSourceFile().fileName.slice(ROOT.length + 1);
		this.unreadable.push(`${file}: ${value.getText().replace(/\s+/g, ' ')}`);
	}

	private isText(value: ts.Expression): boolean {
		const type = this.checker.getNonNullableType(this.checker.getTypeAtLocation(value));
		const members = type.isUnion() ? type.types : [type];
		return members.some((member) => {
			const { flags } = member.getNumberIndexType() ?? member;
			return (
				(flags & ts.TypeFlags.StringLike) !== 0 || (member.flags & ts.TypeFlags.StringLike) !== 0
			);
		});
	}

	/** The texts that an expression can have; none if another call or object has them. */
	private textsOf(node: ts.Node, depth = 0): string[] {
		if (depth > 12) return [VARIABLE];
		const next = (inner: ts.Node) => this.textsOf(inner, depth + 1);
		if (ts.isStringLiteralLike(node)) return [node.text];
		if (ts.isTemplateExpression(node))
			return node.templateSpans.reduce(
				(all, span) =>
					product(product(all, orVariable(next(span.expression))), [span.literal.text]),
				[node.head.text],
			);
		if (ts.isConditionalExpression(node)) return [...next(node.whenTrue), ...next(node.whenFalse)];
		if (
			ts.isParenthesizedExpression(node) ||
			ts.isAsExpression(node) ||
			ts.isSatisfiesExpression(node)
		)
			return next(node.expression);
		if (ts.isBinaryExpression(node)) {
			if (node.operatorToken.kind === ts.SyntaxKind.PlusToken)
				return product(orVariable(next(node.left)), orVariable(next(node.right)));
			return [...next(node.left), ...next(node.right)];
		}
		if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(next);
		if (ts.isSpreadElement(node)) return next(node.expression);
		if (ts.isIdentifier(node)) return this.ofIdentifier(node, depth);
		// Its texts are where the object is made.
		if (ts.isPropertyAccessExpression(node))
			return Object.hasOwn(ROLES, node.name.text) ? [] : [VARIABLE];
		if (ts.isElementAccessExpression(node)) return this.ofTable(node.expression, depth);
		if (ts.isCallExpression(node)) return this.ofFunction(node, depth);
		return [VARIABLE];
	}

	private ofIdentifier(node: ts.Identifier, depth: number): string[] {
		if (node.text === 'undefined') return [];
		let symbol = ts.isShorthandPropertyAssignment(node.parent)
			? this.checker.getShorthandAssignmentValueSymbol(node.parent)
			: this.checker.getSymbolAtLocation(node);
		if (symbol && symbol.flags & ts.SymbolFlags.Alias)
			symbol = this.checker.getAliasedSymbol(symbol);
		const declaration = symbol?.valueDeclaration;
		if (declaration === undefined) return [VARIABLE];
		if (ts.isVariableDeclaration(declaration) && declaration.initializer)
			return this.textsOf(declaration.initializer, depth + 1);
		// A parameter that passes a text on has the texts of its calls.
		if (ts.isParameter(declaration) && Object.hasOwn(ROLES, node.text)) return [];
		if (ts.isBindingElement(declaration)) return this.ofBinding(declaration, depth);
		return [VARIABLE];
	}

	private ofBinding(element: ts.BindingElement, depth: number): string[] {
		const pattern = element.parent;
		const name = (element.propertyName ?? element.name).getText();
		if (ts.isObjectBindingPattern(pattern)) return Object.hasOwn(ROLES, name) ? [] : [VARIABLE];
		const index = pattern.elements.indexOf(element);
		const { initializer } = pattern.parent as ts.VariableDeclaration;
		return arraysOf(initializer).flatMap(({ elements }) => {
			const value = elements[index];
			return value ? this.textsOf(value, depth + 1) : [];
		});
	}

	private ofTable(table: ts.Expression, depth: number): string[] {
		const initializer = this.initializerOf(table);
		if (!initializer || !ts.isObjectLiteralExpression(initializer)) return [VARIABLE];
		return initializer.properties.flatMap((property) =>
			ts.isPropertyAssignment(property) ? this.textsOf(property.initializer, depth + 1) : [],
		);
	}

	private ofFunction(call: ts.CallExpression, depth: number): string[] {
		const [wrapped] = call.arguments;
		if (wrapped && ESCAPES.has(call.expression.getText())) return this.textsOf(wrapped, depth + 1);
		const declaration = this.checker.getResolvedSignature(call)?.getDeclaration();
		if (!declaration || !isOurs(declaration) || !('body' in declaration) || !declaration.body)
			return [VARIABLE];
		if (!ts.isBlock(declaration.body)) return this.textsOf(declaration.body, depth + 1);
		const returned: string[] = [];
		const visit = (node: ts.Node): void => {
			if (ts.isFunctionLike(node)) return;
			if (ts.isReturnStatement(node) && node.expression)
				returned.push(...this.textsOf(node.expression, depth + 1));
			ts.forEachChild(node, visit);
		};
		ts.forEachChild(declaration.body, visit);
		return returned;
	}
}

const hasWords = (text: string) => /[a-z]{3}/i.test(text);

const none = (): UserTexts => ({ message: [], advice: [], hint: [] });

function merge(into: UserTexts, from: UserTexts): void {
	for (const role of Object.keys(into) as Role[]) into[role].push(...from[role]);
}

const product = (left: string[], right: string[]) =>
	left.flatMap((start) => right.map((end) => start + end));

const orVariable = (texts: string[]) =>
	texts.length > 0 && texts.length <= 4 ? texts : [VARIABLE];

function arraysOf(node: ts.Node | undefined): ts.ArrayLiteralExpression[] {
	if (node === undefined) return [];
	if (ts.isArrayLiteralExpression(node)) return [node];
	if (ts.isConditionalExpression(node))
		return [...arraysOf(node.whenTrue), ...arraysOf(node.whenFalse)];
	return [];
}

const isArgument = (node: ts.Node) =>
	ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent);

const isOurs = (node: ts.Node) => !node.getSourceFile().fileName.includes('node_modules');
