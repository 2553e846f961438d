import type { CatalogueModel, ModelOutput } from '../schemas/models';

const OUTPUTS: Array<[output: ModelOutput, words: RegExp]> = [
	['video', /video/i],
	['other', /image|audio|speech|music|embed|rerank|moderation/i],
	['text', /text|chat|language|llm|completion/i],
];

/** What the model makes, if its record tells. `text-to-video` and `text->video` make a video. */
export function modelOutputOf({ kinds }: Pick<CatalogueModel, 'kinds'>): ModelOutput | undefined {
	const outputs = kinds.flatMap((kind) => {
		const made = kind.split(/->|[-_ ]to[-_ ]/i).at(-1) ?? '';
		return OUTPUTS.find(([, words]) => words.test(made))?.[0] ?? [];
	});
	const [first, ...others] = new Set(outputs);
	// A model that reads images or makes several things is listed for all.
	return others.length === 0 ? first : undefined;
}
