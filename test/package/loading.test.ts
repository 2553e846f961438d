import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');

/**
 * Loads all nodes and the credential of the built package in a new process, between two scripts.
 * @returns the files that the process reads, without those of n8n
 */
function filesRead(script = '', before = ''): string[] {
	const program = `
		require('n8n-workflow');
		${before}
		const before = new Set(Object.keys(require.cache));
		const { n8n } = require('./package.json');
		for (const file of [...n8n.nodes, ...n8n.credentials]) require('./' + file);
		${script}
		const read = Object.keys(require.cache).filter((file) => !before.has(file));
		console.log(JSON.stringify(read));
	`;
	const output = execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
	return (JSON.parse(output) as string[]).map((file) => relative(root, file));
}

const CLIENT = join('dist', 'gateway', 'client.js');
const UNDICI = join('dist', 'gateway', 'undici.js');

test('loading the nodes reads neither the client nor the AI SDK', () => {
	const read = filesRead();
	expect(read).toContain(
		join('dist', 'nodes', 'LmChatGenerationService', 'LmChatGenerationService.node.js'),
	);
	expect(read.filter((file) => !file.startsWith('dist') && file !== 'package.json')).toEqual([]);
	expect(read).not.toContain(CLIENT);
	expect(read).not.toContain(UNDICI);
});

test('the client is loaded on first use', () => {
	const read = filesRead("require('./dist/gateway').parseInput;");
	expect(read).toEqual(expect.arrayContaining([CLIENT, UNDICI]));
});

test('the client is loaded soon after the nodes, because n8n moves it while it updates the package', () => {
	const timersFireAtOnce = 'setTimeout = (action) => (action(), { unref: () => {} });';
	expect(filesRead('', timersFireAtOnce)).toEqual(expect.arrayContaining([CLIENT, UNDICI]));
});
