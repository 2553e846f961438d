const { default: Sequencer } = require('@jest/test-sequencer');

/** Test files in the order in which they were named. */
module.exports = class extends Sequencer {
	sort(tests) {
		const order = process.argv;
		return [...tests].sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
	}
};
