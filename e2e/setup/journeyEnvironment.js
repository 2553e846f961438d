const { basename } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { isLacking } = require('./lacking');

/** Skips the journeys that the chosen n8n cannot make. */
module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.file = basename(context.testPath);
	}

	handleTestEvent({ name, test }) {
		if (name === 'test_start' && isLacking(`${this.file} ${test.name}`)) test.mode = 'skip';
	}
};
