import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../..');

test("loading the nodes loads neither n8n's AI SDK nor undici: n8n's start does not pay for them", () => {
	const script = `
		const { n8n } = require('./package.json');
		require('n8n-workflow');
		for (const file of n8n.nodes) require('./' + file);
		console.log(JSON.stringify(Object.keys(require.cache)));
	`;
	const output = execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
	const loaded = JSON.parse(output) as string[];
	expect(loaded.some((file) => file.endsWith('LmChatGenerationService.node.js'))).toBe(true);
	expect(loaded.filter((file) => /ai-node-sdk|ai-utilities|langchain|undici/.test(file))).toEqual(
		[],
	);
});
