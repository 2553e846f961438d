/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/setup/journeyEnvironment.js',
	roots: ['<rootDir>/journeys'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/../tsconfig.json' }] },
	globalSetup: '<rootDir>/setup/open.ts',
	globalTeardown: '<rootDir>/setup/close.ts',
	// All journeys share one n8n. Each file has its own browser.
	maxWorkers: 2,
	// On a quiet machine. The environment gives each test as much longer as the machine is busy when it begins.
	testTimeout: 180_000,
};
