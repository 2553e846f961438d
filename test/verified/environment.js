const WorkerEnvironment = require('../worker/environment');
const { isExpectedToFail, isRepeated, isSkipped } = require('./differences');

/** Marks the tests that the verified build is expected to fail. */
module.exports = class extends WorkerEnvironment {
	constructor(config, context) {
		super(config, context);
		this.file = context.testPath;
	}

	handleTestEvent({ name, test }) {
		if (name !== 'test_start') return;
		const fullName = nameOf(test);
		const isLeftOut =
			process.env.ONLY_DIFFERENCES && /Faults\./.test(this.file) && !isRepeated(fullName);
		if (isLeftOut || isSkipped(fullName)) test.mode = 'skip';
		else if (isExpectedToFail(fullName)) test.failing = true;
	}
};

function nameOf({ name, parent }) {
	return parent && parent.name !== 'ROOT_DESCRIBE_BLOCK' ? `${nameOf(parent)} ${name}` : name;
}
