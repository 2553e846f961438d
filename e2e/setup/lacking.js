/** What n8n 1 lacks, and the journeys that need it, by file and name. */
const N8N_1_LACKS = [
	{
		why: 'The SDK for AI nodes, Agent 3.1 and the Agents of its own came with n8n 2',
		journeys: [
			/^(agent|agentImage|aiNodes|aiStreams|chatModel|ownAgents|together|tool)\.test\.ts/,
			/an agent's video reaches the next node/,
			/^evaluations\.test\.ts/,
		],
	},
	{
		why: 'Its Data Table node creates no table',
		journeys: [/the work list/, /the scheduled batch/, /an idea becomes scenes/],
	},
	{
		why: 'Its Retry of an execution that was stopped inside a node may run nothing',
		journeys: [/stop-and-retry-of-a-wait-in-memory/, /stop-in-memory-and-retry/],
	},
	{
		why: 'The chat of its editor shows an answer when it is complete',
		journeys: [/the editor's chat shows the answer while/],
	},
	{
		why: 'It activates workflows, and publishes none',
		journeys: [/published with the button/],
	},
];

const { N8N_VERSION = '' } = process.env;

/** @param journey the file and the name of a test */
exports.isLacking = (journey) =>
	N8N_VERSION.startsWith('1.') &&
	N8N_1_LACKS.some(({ journeys }) => journeys.some((pattern) => pattern.test(journey)));
