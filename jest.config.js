/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }] },
	collectCoverageFrom: ['{gateway,nodes,credentials}/**/*.ts'],
	testTimeout: 30_000,
};
