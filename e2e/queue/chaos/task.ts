/** What a webhook gets. */
export interface WebhookCall {
	call: number;
	prompts: string[];
}

/** What the prompt of a task says: `workflow call item execution|`. */
export function taskOf(prompt: string): { item: string; execution: string } {
	const [all = ''] = prompt.split('|');
	const words = all.split(' ');
	return { item: words.slice(0, 3).join(' '), execution: words[3] ?? '' };
}
