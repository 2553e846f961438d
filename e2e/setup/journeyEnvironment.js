const { TestEnvironment } = require('jest-environment-node');
const { patience } = require('../host/patience');

/** Gives each journey as long as a busy machine needs. */
module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test, hook }, { testTimeout }) {
		const starting = { test_start: test, hook_start: hook }[name];
		if (!starting) return;
		// A hook may start several times.
		starting.onQuietMachine ??= starting.timeout ?? testTimeout;
		starting.timeout = starting.onQuietMachine * patience();
	}
};
