import { z } from 'zod';

const chunk = z.object({
	type: z.string(),
	content: z.string().optional(),
});

export type Chunk = z.infer<typeof chunk>;

/** Asks a webhook that streams, and reads all lines of its answer. */
export async function readChunks(url: string, body: object): Promise<Chunk[]> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`The webhook answers ${response.status}: ${text}`);
	const lines = text.split('\n').filter((line) => line !== '');
	return lines.map((line) => chunk.parse(JSON.parse(line)));
}
