const config = require('../../jest.config');

/** What n8n evaluates with its default engine, `vm`. */
module.exports = {
	...config,
	rootDir: '../..',
	roots: ['<rootDir>/test/nodes/items'],
	testMatch: [
		'**/texts.test.ts',
		'**/equalTexts.test.ts',
		'**/mistakes.test.ts',
		'**/expressions.test.ts',
		'**/readingItems.test.ts',
	],
	setupFilesAfterEnv: ['<rootDir>/test/expressions/vmEngine.ts'],
};
