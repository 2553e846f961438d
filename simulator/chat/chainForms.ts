import type { ChatRequest } from '../endpoints';

const MAX_SUMMARY_CHARACTERS = 200;

/** The question itself, where a chain surrounds it with its instructions. */
export function questionIn(text: string): string {
	return /^USER'S INPUT\n.*?\n\n(.*)/ms.exec(text)?.[1] ?? text;
}

/** The answer as the chains of LangChain, and so those of n8n, can read it: some ask for a form of their own. */
export function inChainForm({ messages }: ChatRequest, answer: string): string {
	const asked = messages.map(({ content }) => content ?? '').join('\n');
	if (/Output a JSON markdown code snippet|Provide only ONE action per \$JSON_BLOB/.test(asked)) {
		const action = { action: 'Final Answer', action_input: answer };
		return `\`\`\`json\n${JSON.stringify(action, null, 2)}\n\`\`\``;
	}
	if (asked.includes('say "<END_OF_PLAN>"')) {
		return 'Plan:\n1. Given the above steps taken, please respond to the original query.\n<END_OF_PLAN>';
	}
	const known = /existing summary up to a certain point: "(.*?)"\nWe have/s.exec(asked)?.[1];
	const text = /concise summary of the following:\s*"(.*)"/s.exec(asked)?.[1];
	if (text === undefined) return known ?? answer;
	const [sentence = text] = text.trim().split(/(?<=[.!?])\s/, 1);
	return `In short: ${sentence.replace(/^In short: /, '').slice(0, MAX_SUMMARY_CHARACTERS)}`;
}
