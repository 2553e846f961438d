/**
 * Tests that the verified build is expected to fail, by their names. Jest reports an expected failure that passes,
 * so the list stays up to date.
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
		why: "n8n's helper decodes only one content coding and does not detect truncated compressed data",
		tests: [
			/^(a chat response|a streamed response|a list of models) is decompressed: .*, /,
			/^(a chat response|a streamed response|a list of models) fails if it is compressed twice/,
			/^(submit|get|chatStream) Damaged compressed response \(cut-gzip\)$/,
		],
	},
	{
		why: 'Node.js reports these as a lost connection. The error says so, and billable requests are not sent again',
		tests: [/^(an invalid chunk|100 Continue) instead of a response/],
	},
	{
		why: 'inline videos stay in memory, so a temporary folder cannot fail',
		tests: [/^a temporary folder that /],
	},
];

/** Tests that would wait until Timeout, because n8n's helper reports nothing earlier. */
const skipped = [/^another protocol instead of a response/];

module.exports = {
	isExpectedToFail: (name) =>
		differences.some(({ tests }) => tests.some((test) => test.test(name))),
	isSkipped: (name) => skipped.some((test) => test.test(name)),
};
