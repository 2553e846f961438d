const { availableParallelism, loadavg } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/setup/journeyEnvironment.js',
	roots: ['<rootDir>/journeys'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/../tsconfig.json' }] },
	globalSetup: '<rootDir>/setup/open.ts',
	globalTeardown: '<rootDir>/setup/close.ts',
	// All journeys share one n8n. Each file has its own browser.
	maxWorkers: 2,
	// As long as a busy machine needs.
	testTimeout: Math.round(180_000 * Math.max(1, loadavg()[0] / availableParallelism())),
};
