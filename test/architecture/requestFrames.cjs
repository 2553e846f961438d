// Prints the functions of the package that a chat, a submission and a poll pass, from `execute` to the request: each function is
// compiled so that it writes its name down for what it calls, also later. V8's own stacks end at promises that two wait for.
const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe } = require('node:diagnostics_channel');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join, relative } = require('node:path');
const ts = require('typescript');

const root = join(__dirname, '../..');
const calls = new AsyncLocalStorage();
global.pathOfCalls = (name, run) => calls.run([...(calls.getStore() ?? []), name], run);

require.extensions['.ts'] = (module, file) => {
	const compilerOptions = {
		module: ts.ModuleKind.CommonJS,
		target: ts.ScriptTarget.ES2022,
		esModuleInterop: true,
	};
	const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
		compilerOptions,
		fileName: file,
		transformers: { before: [noteCalls(relative(root, file))] },
	});
	module._compile(outputText, file);
};

/** `f() { … }` becomes `f() { return pathOfCalls('f', () => { … }) }`. Constructors and generators call nothing on the way. */
function noteCalls(file) {
	const { factory: make } = ts;
	return (context) => (source) => {
		const visit = (node) => {
			const visited = ts.visitEachChild(node, visit, context);
			const isNoted =
				(ts.isFunctionDeclaration(node) ||
					ts.isMethodDeclaration(node) ||
					ts.isFunctionExpression(node) ||
					ts.isArrowFunction(node)) &&
				visited.body &&
				!visited.asteriskToken;
			if (!isNoted) return visited;
			const owner = node.name ?? node.parent?.name;
			const name = `${owner?.getText?.(source) ?? 'a function'} (${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1})`;
			const asyncToken = visited.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
			const inner = make.createArrowFunction(
				asyncToken && [asyncToken],
				undefined,
				[],
				undefined,
				undefined,
				visited.body,
			);
			const call = make.createCallExpression(make.createIdentifier('pathOfCalls'), undefined, [
				make.createStringLiteral(name),
				inner,
			]);
			const body = make.createBlock([make.createReturnStatement(call)]);
			const { modifiers, parameters } = visited;
			if (ts.isArrowFunction(visited))
				return make.updateArrowFunction(
					visited,
					modifiers,
					undefined,
					parameters,
					undefined,
					visited.equalsGreaterThanToken,
					body,
				);
			if (ts.isFunctionExpression(visited))
				return make.updateFunctionExpression(
					visited,
					modifiers,
					undefined,
					visited.name,
					undefined,
					parameters,
					undefined,
					body,
				);
			if (ts.isFunctionDeclaration(visited))
				return make.updateFunctionDeclaration(
					visited,
					modifiers,
					undefined,
					visited.name,
					undefined,
					parameters,
					undefined,
					body,
				);
			return make.updateMethodDeclaration(
				visited,
				modifiers,
				undefined,
				visited.name,
				undefined,
				undefined,
				parameters,
				undefined,
				body,
			);
		};
		return ts.visitNode(source, visit);
	};
}

const paths = {};
subscribe('undici:request:create', ({ request: { method, path } }) => {
	const kind = path.endsWith('/completions') ? 'chat' : method === 'POST' ? 'submission' : 'poll';
	paths[kind] ??= calls.getStore() ?? [];
});

const message = { role: 'assistant', content: 'Hi' };
const chat = { id: 'chat-1', choices: [{ index: 0, message, finish_reason: 'stop' }] };
const task = { id: 'task-1', status: 'completed', url: 'https://videos.test/1' };
const server = createServer(({ method, url }, response) => {
	const body = url.endsWith('/completions')
		? chat
		: method === 'POST'
			? { data: [{ ...task, status: 'queued', url: null }] }
			: task;
	response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
});

async function run(folder, name, parameters) {
	const { [name]: Node } = require(join(root, 'nodes', name, `${name}.node.ts`));
	const kept = {};
	const baseUrl = `http://127.0.0.1:${server.address().port}`;
	const read = (parameter, _item, fallback) => parameters[parameter] ?? fallback;
	const context = {
		getNode: () => ({ name, type: name, parameters: {} }),
		getInputData: () => [{ json: {} }],
		getNodeParameter: read,
		evaluateExpression: () => 0,
		getCredentials: async () => ({ baseUrl, apiKey: 'key' }),
		getContext: () => kept,
		continueOnFail: () => false,
		getExecutionId: () => '1',
		helpers: {},
		logger: {},
	};
	await new Node().execute.call(context);
}

async function main() {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	await run('ChatCompletion', 'ChatCompletion', {
		model: 'm',
		messages: { values: [{ role: 'user', content: 'Hi' }] },
	});
	await run('VideoGeneration', 'VideoGeneration', {
		model: 'm',
		prompt: 'A boat',
		size: '720p',
		duration: 5,
		waitOptions: { pollInterval: 0.02 },
	});
	server.closeAllConnections();
	server.close();
	process.stdout.write(JSON.stringify(paths, undefined, 1));
}

void main();
