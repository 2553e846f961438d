const { join } = require('node:path');
const base = require('../../jest.config');

/**
 * Runs the tests that use n8n's engine with the verified build.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: join(__dirname, '../..'),
	roots: ['credentials', 'nodes', 'reliability', 'security', 'corpus', 'verified'].map((folder) =>
		join('<rootDir>/test', folder),
	),
	testPathIgnorePatterns: ['/node_modules/'],
	testEnvironment: join(__dirname, 'environment.js'),
	resolver: join(__dirname, 'jestResolver.js'),
};
