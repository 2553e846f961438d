const { join } = require('node:path');
const base = require('../../jest.config');

/** The tests that play the sources in their own process, without the check of types: a mutant compiles. */
module.exports = {
	...base,
	rootDir: join(__dirname, '../..'),
	testPathIgnorePatterns: [
		...base.testPathIgnorePatterns,
		'/test/(architecture|demo|docs|mutants|package|release|simulation)/',
	],
	bail: 1,
	transform: {
		'^.+\\.ts$': ['ts-jest', { ...base.transform['^.+\\.ts$'][1], diagnostics: false }],
	},
};
