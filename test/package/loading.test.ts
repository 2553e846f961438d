import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');

/**
 * Loads all nodes and the credential of the built package in a new process.
 * @param script what follows; `report` ends it
 * @returns the files that the process reads, without those of n8n
 */
function filesRead(script = 'report();'): string[] {
	const program = `
		require('n8n-workflow');
		const before = new Set(Object.keys(require.cache));
		const { n8n } = require('./package.json');
		for (const file of [...n8n.nodes, ...n8n.credentials]) require('./' + file);
		const report = () => {
			const read = Object.keys(require.cache).filter((file) => !before.has(file));
			console.log(JSON.stringify(read));
		};
		${script}
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
	const read = filesRead("require('./dist/gateway').parseInput; report();");
	expect(read).toEqual(expect.arrayContaining([CLIENT, UNDICI]));
});

test('the client is loaded right after the nodes: an update of n8n moves it, and Jest ends with its last test', () => {
	expect(filesRead('setImmediate(report);')).toEqual(expect.arrayContaining([CLIENT, UNDICI]));
});
