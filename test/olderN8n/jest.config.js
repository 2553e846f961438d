const { join } = require('node:path');
const base = require('../../jest.config');

// Inherited by the processes that tests start.
process.env.NODE_OPTIONS = `--require "${join(__dirname, 'nodeResolver.js')}"`;

/** The folders with tests that use n8n's engine or its package loader. */
const FOLDERS = ['credentials', 'demo', 'nodes', 'package', 'security', 'olderN8n'];

/** Tests of features that an older n8n does not have. Tests in this folder check the nodes without them. */
const MISSING = [
	// The SDK for AI nodes.
	'/test/nodes/chatModel/(chatModel|edgeCases|everyAiNode)',
	'/test/nodes/chatModel/withoutAiSdk',
	// Insights: token usage.
	'/test/nodes/chat/insights',
	// What n8n 2 stores beside what the node does.
	'/test/nodes/video/storedSize',
	// Custom data of an execution for nodes.
	'/test/nodes/items/customData',
	// SSRF protection.
	'/test/security/ssrf',
	// The request helper that proxies are compared with.
	'/test/security/proxyVariables',
	// Evaluations with mocked services.
	'/test/nodes/items/hostRequests',
	// The class that the tests watch.
	'/test/nodes/items/readingItems',
];

/**
 * Runs the tests that use n8n's engine with an older n8n.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: join(__dirname, '../..'),
	roots: FOLDERS.map((folder) => join('<rootDir>/test', folder)),
	testPathIgnorePatterns: ['/node_modules/', ...MISSING],
	testEnvironment: join(__dirname, 'environment.js'),
	resolver: join(__dirname, 'jestResolver.js'),
	setupFiles: [join(__dirname, 'idleTimers.js')],
};
