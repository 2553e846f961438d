const { join } = require('node:path');
const base = require('../../jest.config');

// Inherited by the processes that tests start.
process.env.NODE_OPTIONS = `--require "${join(__dirname, 'nodeResolver.js')}"`;

/** The folders with tests that use n8n's engine or its package loader. */
const FOLDERS = ['credentials', 'demo', 'nodes', 'package', 'security'];

/** Tests of features that the oldest n8n does not have. */
const MISSING = [
	// SSRF protection.
	'/test/security/ssrf',
	// The request helper that proxies are compared with.
	'/test/security/proxyVariables',
	// Evaluations with mocked services.
	'/test/nodes/items/hostRequests',
];

/**
 * Runs the tests that use n8n's engine with the oldest n8n.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: join(__dirname, '../..'),
	roots: FOLDERS.map((folder) => join('<rootDir>/test', folder)),
	testPathIgnorePatterns: ['/node_modules/', ...MISSING],
	testEnvironment: join(__dirname, 'environment.js'),
	resolver: join(__dirname, 'jestResolver.js'),
};
