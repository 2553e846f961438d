const { default: Sequencer } = require('@jest/test-sequencer');

/** Starts the longest tests first, also where no earlier run has left their times: else one of them keeps a single core busy at the end. */
const LONGEST =
	/test\/(simulation|architecture\/types|gateway\/limitScenarios|reliability|fuzz|bounds)\b/;

module.exports = class SlowestFirst extends Sequencer {
	sort(tests) {
		const isLong = ({ path }) => Number(LONGEST.test(path));
		return super.sort(tests).sort((one, other) => isLong(other) - isLong(one));
	}
};
