const { join } = require('node:path');
const base = require('../../jest.config');

process.env.FUZZ_RUNS ??= '15000';

/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: join(__dirname, '../..'),
	roots: ['<rootDir>/test/fuzz'],
	testTimeout: 3_600_000,
};
