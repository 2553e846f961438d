const { join } = require('node:path');
const { testSequencer, testTimeout } = require('./jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...require('../../cloud/jest.config'),
	testEnvironment: join(__dirname, 'cloudEnvironment.js'),
	testSequencer,
	testTimeout,
};
