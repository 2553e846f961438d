const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

// One folder for the embedded n8n of all test files; their processes inherit the variable.
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-tests-'));
process.env.N8N_USER_FOLDER = userFolder;
process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));

// Jest runs CommonJS alone: an `import()` must become a `require` there.
const { compilerOptions } = require('./tsconfig.json');
const tsconfig = { ...compilerOptions, module: 'CommonJS', moduleResolution: 'Node10' };

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/worker/environment.js',
	runtime: '<rootDir>/test/worker/runtime.js',
	roots: ['<rootDir>/test'],
	// The verified build: npm run test:verified.
	testPathIgnorePatterns: ['/node_modules/', '/test/(oldestN8n|verified)/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig }] },
	collectCoverageFrom: ['{gateway,nodes,credentials}/**/*.ts'],
	coverageThreshold: { global: { statements: 85, branches: 70, functions: 80, lines: 85 } },
	// Nothing waits in real time, so each core has one.
	maxWorkers: '100%',
	testSequencer: require.resolve('./test/slowestFirst'),
	// What a test replaces, such as a function of n8n, is there again in the next one.
	restoreMocks: true,
	// Only for what hangs: a test is never as slow as that, but the machine may be.
	testTimeout: 120_000,
	// Each file leaves something behind, and a large heap makes every collection of garbage slow.
	workerIdleMemoryLimit: '1GB',
	// A worker gives such a heap back when it ends, which takes seconds on a busy machine. A handle that stays open never ends.
	workerGracefulExitTimeout: 30_000,
};
