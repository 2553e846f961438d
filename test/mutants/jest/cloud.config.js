const { join } = require('node:path');
const cloud = require('../../cloud/jest.config');
const { testSequencer, testTimeout } = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...cloud,
	// What is published has no mutants in it.
	testPathIgnorePatterns: [...cloud.testPathIgnorePatterns, '/test/cloud/package'],
	testEnvironment: join(__dirname, 'cloudEnvironment.js'),
	testSequencer,
	testTimeout,
};
