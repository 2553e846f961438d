import { Pool } from 'undici';
import type { Target } from './candidate';
import { MODEL } from './workload';

/** The baseline: undici and `JSON.parse`, without validation, retries or limits. */
export function openPool({ url, key }: Target, connections: number) {
	const pool = new Pool(url, { connections, pipelining: 1 });
	const authorization = `Bearer ${key}`;
	return {
		pool,
		async poll(task: string): Promise<unknown> {
			const { body } = await pool.request({
				method: 'GET',
				path: `/media/v1/video/generations/${task}`,
				headers: { authorization },
			});
			return JSON.parse(await body.text());
		},
		async chat(item: number): Promise<unknown> {
			const { body } = await pool.request({
				method: 'POST',
				path: '/v1/chat/completions',
				headers: { authorization, 'content-type': 'application/json' },
				body: JSON.stringify({
					model: MODEL,
					messages: [{ role: 'user', content: `What is worth knowing of ${item}?` }],
				}),
			});
			return JSON.parse(await body.text());
		},
	};
}
