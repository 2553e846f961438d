import { z } from 'zod';
import type { Endpoint } from './endpoints';

/** What a request is about. */
export interface Route {
	endpoint: Endpoint;
	/** The task id in the path; empty where there is none. */
	taskId: string;
}

interface Pattern {
	method: 'GET' | 'POST';
	/** Of the path after the prefix. */
	path: RegExp;
	/** Of the body, where the path alone does not tell the endpoint. */
	body?: z.ZodType;
}

const CHAT = /^\/v1\/chat\/completions$/;

/** The first that matches. The document has two forms of the video path. */
const PATTERNS: Record<Exclude<Endpoint, 'other'>, Pattern> = {
	chatStream: { method: 'POST', path: CHAT, body: z.looseObject({ stream: z.literal(true) }) },
	chat: { method: 'POST', path: CHAT },
	models: { method: 'GET', path: /^\/v1\/models$/ },
	submit: { method: 'POST', path: /^(?:\/media)?\/v1\/video\/generations$/ },
	poll: { method: 'GET', path: /^(?:\/media)?\/v1\/video\/generations\/([^/]+)$/ },
	download: { method: 'GET', path: /^\/files\/([^/]+)\.mp4$/ },
};
const ENTRIES = Object.entries(PATTERNS) as Array<[Endpoint, Pattern]>;

/** The endpoint at a URL (a path with or without a query). */
export function routeOf(method: string, url: string, prefix: string, body: unknown): Route {
	const path = url.replace(/\?.*/, '');
	const asked = method === 'HEAD' ? 'GET' : method;
	if (path.startsWith(prefix)) {
		for (const [endpoint, pattern] of ENTRIES) {
			const match = pattern.method === asked && pattern.path.exec(path.slice(prefix.length));
			const fits = pattern.body?.safeParse(body).success ?? true;
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
