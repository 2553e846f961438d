const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Where Jest keeps the tests of a file. */
const OF_ONE_FILE = /^(JEST_STATE_SYMBOL|EVENT_HANDLERS)$/;

/** Runs test files in the worker's own context, as `runtime.js` needs it. Jest's environments create one for each file. */
module.exports = class WorkerEnvironment {
	global = globalThis;
	fakeTimers = null;
	moduleMocker = new ModuleMocker(globalThis);
	#env = { ...process.env };
	#console = console;
	#process = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };

	constructor({ projectConfig: config }) {
		this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
	}

	async setup() {}

	/** Leaves nothing to the next file. */
	async teardown() {
		this.fakeTimersModern.dispose();
		for (const symbol of Object.getOwnPropertySymbols(globalThis))
			if (OF_ONE_FILE.test(symbol.description)) delete globalThis[symbol];
		delete globalThis.__coverage__;
		for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
		Object.assign(process.env, this.#env);
		Object.assign(process, this.#process);
		globalThis.console = this.#console;
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	getVmContext() {
		return globalThis;
	}
};
