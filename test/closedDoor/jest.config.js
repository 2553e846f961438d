const base = require('../../jest.config');

// What the document promises, without a word of any dialect. The nodes of dist/ have the open door: these tests run the sources.
/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/interface', '<rootDir>/test/closedDoor'],
	moduleNameMapper: { '(?:^|/)dialects$': '<rootDir>/test/closedDoor/door.ts' },
};
