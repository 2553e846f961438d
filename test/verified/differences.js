/**
 * Tests that the verified build is expected to fail, by their names. Jest reports an expected failure that passes,
 * so the list stays up to date.
 */
const differences = [
	{
		why: 'n8n opens a connection for each request',
		tests: [
			// The poll uses a connection of its own, which is counted with the download.
			/^download .*\((refused-connection|not-tls|unknown-host|lookup-failure)\)$/,
		],
	},
	{
		why: "n8n's helper does not detect truncated compressed data",
		tests: [/^(chat|chatStream|models|submit|poll|get) Compressed response that ends too early /],
	},
	{
		why: 'Node.js reports these as a lost connection. The error says so, and billable requests are not sent again',
		tests: [/^an invalid chunk instead of a response/],
	},
	{
		why: 'a caller that lends no request helper gives it no way to the service',
		tests: [
			/^(Chat Completion (answers each item|streams|ends when a slow reader has every chunk)|List Models returns the models)$/,
			/^Video Generation (submits, waits and gets with |that is stopped names its task$)/,
		],
	},
	{
		why: "n8n's helper connects, so nothing tells when a connection is made or how far a handshake got",
		tests: [
			/^a connection that (ends|is reset) during the TLS handshake/,
			/^chats share a (connection to a proxy|tunnel), submissions of videos do not/,
		],
	},
	{
		why: "n8n's helper uses the proxy, and does not tell the proxy's responses and failures from those of the service",
		tests: [
			/^an invalid proxy URL /,
			/^a proxy that (responds with \d+|hangs up|resets|does not speak HTTP) to CONNECT /,
			/^a proxy for a service at http:\/\/ that responds with 407 /,
			/^an unreachable proxy for a service at https?:\/\//,
			/^a proxy that hangs up gets 3 CONNECT requests/,
			/^a video that a proxy prevents from being submitted/,
		],
	},
];

/** Tests that would wait until Timeout, because n8n's helper reports nothing earlier, and a proxy that it does not support. */
const skipped = [
	/^a service at https?:\/\/ is reachable through a SOCKS proxy/,
	/^another protocol instead of a response/,
	/^a TLS handshake without a response times out/,
	/^a proxy that does not respond to CONNECT times out/,
	// They compare the client's own routes with those of n8n's helper, which is the client here.
	/takes the same route as a request of n8n/,
];

/**
 * What CI repeats with the verified build: the files that meet its transport, and of the fault tables what breaks a connection
 * or a body. What follows once a response is read is the same code in both builds. A release plays all.
 */
const repeated = {
	files: [
		'verified/',
		'credentials/',
		'reliability/(chat|task)Faults',
		'security/(redirects|responses)',
		'nodes/chat/output',
		'nodes/video/storage',
		'nodes/chatModel/agentTools',
		'nodes/items/(cancel|clock|connections|httpResponses)',
	],
	faults:
		/\((reset|lost|hang|slow|late|close|truncated|cut|oversized|gzip|bad-gzip|unknown|no-length|redirect|refused|lookup|not-tls|untrusted|stream-(reset|hang|cut|slow|split|long))/,
};

module.exports = {
	repeatedFiles: repeated.files.map((file) => `/test/${file}`),
	isRepeated: (name) => !/ \([a-z0-9-]+\)$/.test(name) || repeated.faults.test(name),
	isExpectedToFail: (name) =>
		differences.some(({ tests }) => tests.some((test) => test.test(name))),
	isSkipped: (name) => skipped.some((test) => test.test(name)),
};
