/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/../../tsconfig.json' }] },
	// By hand: npm run e2e:queue -- chaos
	testPathIgnorePatterns: process.argv.includes('chaos') ? [] : ['/chaos/'],
	// Each file has a whole cluster, and measures it.
	maxWorkers: 1,
	testTimeout: 600_000,
};
