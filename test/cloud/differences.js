/**
 * Tests of the main build that the build for n8n Cloud is expected to fail, by their names, and why. One that passes all
 * the same is reported, so that this list stays true.
 */
const differences = [
	{
		why: 'n8n opens a connection for each request',
		tests: [
			/^Max Concurrency limits the connections of a batch with (un)?compressed responses/,
			// The poll uses a connection of its own, which is counted with the download.
			/^download .*\((refused-connection|not-tls|unknown-host|lookup-failure)\)$/,
		],
	},
	{
		why: "n8n's helper undoes one content coding alone, and does not notice compressed data that end too early",
		tests: [
			/^(a chat response|a streamed response|a list of models) is decompressed: .*, /,
			/^(a chat response|a streamed response|a list of models) fails if it is compressed twice/,
			/^(submit|get|chatStream) A compressed response that is damaged \(cut-gzip\)$/,
		],
	},
	{
		why: 'Node.js calls these a lost connection: the error says so, and what may be paid is not sent again',
		tests: [/^(an invalid chunk|100 Continue) instead of a response/],
	},
	{
		why: 'inline videos stay in memory: no temporary folder can be full',
		tests: [/^a temporary folder that /],
	},
];

/** What would only be waited for: n8n's helper is silent until Timeout. */
const skipped = [/^another protocol instead of a response/];

module.exports = {
	isExpectedToFail: (name) =>
		differences.some(({ tests }) => tests.some((test) => test.test(name))),
	isSkipped: (name) => skipped.some((test) => test.test(name)),
};
