/** The clips in `assets`, with the words of a prompt that ask for each. */
const SCENES: Array<[name: string, asked: RegExp]> = [
	['lighthouse', /lighthouse|night|star|storm|dark|city|neon|moon/i],
	['kite', /kite|field|wheat|forest|fog|wind|mountain|meadow|grass|bird|sun\b/i],
	['boat', /./s],
];

/** The clip that fits a prompt best. */
export function sceneOf(prompt: string): string {
	return SCENES.find(([, asked]) => asked.test(prompt))?.[0] ?? 'boat';
}
