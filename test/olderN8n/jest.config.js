const { join } = require('node:path');
const everyday = require('../../jest.config');

// The processes that tests start inherit it.
process.env.NODE_OPTIONS = `--require "${join(__dirname, 'nodeResolver.js')}"`;

/** The folders of the tests that go through n8n's engine or its loader. */
const FOLDERS = ['credentials', 'demo', 'engine', 'nodes', 'package', 'security', 'olderN8n'];

/** Tests of what an older n8n does not have; what the nodes do without it is tested in this folder. */
const LACKING = [
	// The SDK for AI nodes.
	'/test/nodes/chatModel',
	'/test/nodes/withoutAiSdk',
	// Insights into how many tokens were used, and how often something failed for which cause.
	'/test/nodes/insights',
	// Protection against server-side request forgery.
	'/test/security/ssrf',
	// That an agent whose tools the engine calls is told of their errors, whatever their On Error says.
	'/test/nodes/failingToolsOfTheEngine',
];

/**
 * The tests that go through n8n's engine, with the engine of an older n8n in place of the newest.
 * @type {import('jest').Config}
 */
module.exports = {
	...everyday,
	rootDir: join(__dirname, '../..'),
	roots: FOLDERS.map((folder) => join('<rootDir>/test', folder)),
	testPathIgnorePatterns: ['/node_modules/', ...LACKING],
	resolver: join(__dirname, 'jestResolver.js'),
	setupFiles: [join(__dirname, 'idleTimers.js')],
};
