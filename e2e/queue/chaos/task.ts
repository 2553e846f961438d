/** What a webhook gets. */
export interface Order {
	order: number;
	prompts: string[];
}

/** What the prompt of a task says: `workflow order item execution|`. */
export function taskOf(prompt: string): { item: string; execution: string } {
	const [all = ''] = prompt.split('|');
	const words = all.split(' ');
	return { item: words.slice(0, 3).join(' '), execution: words[3] ?? '' };
}
