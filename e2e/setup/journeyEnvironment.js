const { basename } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { patience } = require('../host/patience');
const { isLacking } = require('./lacking');

/** Skips the journeys that the chosen n8n cannot make, and gives the others as long as a busy machine needs. */
module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.file = basename(context.testPath);
	}

	handleTestEvent({ name, test, hook }, { testTimeout }) {
		if (name === 'test_start' && isLacking(`${this.file} ${test.name}`)) test.mode = 'skip';
		const starting = { test_start: test, hook_start: hook }[name];
		if (!starting) return;
		// A hook may start several times.
		starting.onQuietMachine ??= starting.timeout ?? testTimeout;
		starting.timeout = starting.onQuietMachine * patience();
	}
};
