const { join } = require('node:path');
const base = require('../../../jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: join(__dirname, '../../..'),
	// These play nothing of the sources in their own process, or measure the process itself.
	testPathIgnorePatterns: [
		...base.testPathIgnorePatterns,
		'/test/(architecture|demo|docs|mutants|package|release|simulation)/',
		'/test/bounds/(eventLoop|memory)',
	],
	testEnvironment: join(__dirname, 'environment.js'),
	testSequencer: join(__dirname, 'inOrder.js'),
	// What hangs waits for this long. No time passes in tests, but the machine may be busy. While it is noted what each file
	// executes, nothing hangs.
	testTimeout: process.env.MUTANTS ? 60_000 : 600_000,
};
