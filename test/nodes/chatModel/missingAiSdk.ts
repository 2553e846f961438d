/** The error of the chat model if n8n has no SDK for AI nodes. */
export const missingAiSdk = {
	message: 'This version of n8n cannot run the Generation Service Chat Model',
	description: expect.stringMatching(
		/2\.16 or later.*OpenAI Chat Model.*Chat Completion node\.\n.*Cannot find module.*$/,
	),
	node: { name: 'Model' },
};
