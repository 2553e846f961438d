const WorkerEnvironment = require('../worker/environment');
const { isExpectedToFail, isSkipped } = require('./differences');

/** Marks the tests that the verified build is expected to fail. */
module.exports = class extends WorkerEnvironment {
	handleTestEvent({ name, test }) {
		if (name !== 'test_start') return;
		const fullName = nameOf(test);
		if (isSkipped(fullName)) test.mode = 'skip';
		else if (isExpectedToFail(fullName)) test.failing = true;
	}
};

function nameOf({ name, parent }) {
	return parent && parent.name !== 'ROOT_DESCRIBE_BLOCK' ? `${nameOf(parent)} ${name}` : name;
}
