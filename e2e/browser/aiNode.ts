import { type NodeGiven, ours } from './workflow';

/** A node of n8n's own for AI. */
export const ai = (
	name: string,
	type: string,
	typeVersion: number,
	parameters: object = {},
): NodeGiven => ({
	name,
	type: `@n8n/n8n-nodes-langchain.${type}`,
	typeVersion,
	parameters,
});

/** The chat model of this package. */
export const model = (name = 'Model', options: object = {}, id = 'heron-chat') =>
	ours(name, 'lmChatGenerationService', { model: { __rl: true, mode: 'id', value: id }, options });

export const QUESTION = 'Why is the sky blue?';
/** What the simulated model answers. */
export const ANSWER =
	/^“Why is the sky blue\?” Good question\. Sunlight holds all colors, and [^\n]+$/;
