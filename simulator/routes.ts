import { z } from 'zod';
import type { Endpoint } from './endpoints';

/** What a request is about. */
export interface Route {
	endpoint: Endpoint;
	/** The task id in the path; empty where there is none. */
	taskId: string;
}

type Method = 'GET' | 'POST';

const streamed = z.looseObject({ stream: z.literal(true) });

/** Paths after the prefix. The document has two forms of the video path. */
const ROUTES: ReadonlyArray<[Method, RegExp, (body: unknown) => Endpoint]> = [
	[
		'POST',
		/^\/v1\/chat\/completions$/,
		(body) => (streamed.safeParse(body).success ? 'chatStream' : 'chat'),
	],
	['GET', /^\/v1\/models$/, () => 'models'],
	['POST', /^(?:\/media)?\/v1\/video\/generations$/, () => 'submit'],
	['GET', /^(?:\/media)?\/v1\/video\/generations\/([^/]+)$/, () => 'poll'],
	['GET', /^\/files\/([^/]+)\.mp4$/, () => 'download'],
];

/** The endpoint at a URL (a path with or without a query). */
export function routeOf(method: string, url: string, prefix: string, body: unknown): Route {
	const path = url.replace(/\?.*/, '');
	const asked = method === 'HEAD' ? 'GET' : method;
	if (path.startsWith(prefix)) {
		for (const [routed, pattern, endpointOf] of ROUTES) {
			const match = routed === asked && pattern.exec(path.slice(prefix.length));
			if (match) return { endpoint: endpointOf(body), taskId: decoded(match[1] ?? '') };
		}
	}
	return { endpoint: 'other', taskId: '' };
}

/** An id with a malformed escape is one that no task has. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
