import { z } from 'zod';
import { ADDRESSES, type Endpoint, ENDPOINTS } from './endpoints';

/** What a request is about. */
export interface Route {
	endpoint: Endpoint;
	/** The task id in the path; empty where there is none. */
	taskId: string;
}

const streamed = z.looseObject({ stream: z.literal(true) });

const ROUTES = ENDPOINTS.map((endpoint) => {
	const { method, path, streams } = ADDRESSES[endpoint];
	const pattern = path
		.replaceAll('.', '\\.')
		.replace(/^\/media/, '(?:/media)?')
		.replace(':task', '([^/]+)');
	return { endpoint, method, pattern: new RegExp(`^${pattern}$`), streams };
});

/** The endpoint at a URL (a path with or without a query). */
export function routeOf(method: string, url: string, prefix: string, body: unknown): Route {
	const path = url.replace(/\?.*/, '');
	const asked = method === 'HEAD' ? 'GET' : method;
	if (path.startsWith(prefix)) {
		for (const { endpoint, method: routed, pattern, streams } of ROUTES) {
			const match = routed === asked && pattern.exec(path.slice(prefix.length));
			const fits = streams === undefined || streams === streamed.safeParse(body).success;
			if (match && fits) return { endpoint, taskId: decoded(match[1] ?? '') };
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
