/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>'],
	modulePathIgnorePatterns: ['<rootDir>/registry/node_modules'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/../../tsconfig.json' }] },
	maxWorkers: 1,
	testTimeout: 600_000,
};
