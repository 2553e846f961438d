import { Pool } from 'undici';
import type { Target } from './candidate';
import { MODEL } from './model';

/** The baseline: undici and `JSON.parse`, without validation, retries or limits. */
export function openPool({ url, key }: Target, connections: number) {
	const pool = new Pool(url, { connections, pipelining: 1 });
	return {
		pool,
		async chat(item: number): Promise<unknown> {
			const { body } = await pool.request({
				method: 'POST',
				path: '/v1/chat/completions',
				headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
				body: JSON.stringify({
					model: MODEL,
					messages: [{ role: 'user', content: `What is worth knowing of ${item}?` }],
				}),
			});
			return JSON.parse(await body.text());
		},
	};
}
