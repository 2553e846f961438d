const TestEnvironment = require('../worker/environment');

/** What an older n8n lacks, and the tests of it, in files whose other tests it passes. */
const MISSING = [
	{
		why: 'Custom data of an execution for nodes',
		tests: [
			/the execution's custom data$/,
			/is whole in the log and in the error, and not in the custom data$/,
			/^of a submission that names \d+ tasks instead of one, each is output$/,
			/^a task ID that is a URL is logged without its query$/,
		],
	},
	{
		why: 'The size of a file as a number',
		tests: [/^an inline video is not held in memory as text/],
	},
	{
		why: 'Files in the field _files',
		tests: [/^in a workflow that keeps files in the field _files /],
	},
	{
		why: 'Its own n8n-workflow is found first',
		tests: [/^an n8n-workflow that lacks what the nodes use is named with its folder$/],
	},
];

/** Skips the tests of what an older n8n lacks. */
module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (name !== 'test_start') return;
		const names = [test.name];
		for (let { parent } = test; parent?.parent; { parent } = parent) names.unshift(parent.name);
		const title = names.join(' ');
		if (MISSING.some(({ tests }) => tests.some((pattern) => pattern.test(title))))
			test.mode = 'skip';
	}
};
