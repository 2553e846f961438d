import { z } from 'zod';
import type { ErrorShape } from './apiError';
import { messages } from './chatMessages';
import { between, integerBetween, nonEmpty, rule, text } from './validation';

/** `chatStream` is a chat completion with `stream: true`. */
export const ENDPOINTS = ['chat', 'chatStream', 'models', 'submit', 'poll', 'download'] as const;

/** An endpoint of the interface document, or the files of finished videos. */
export type KnownEndpoint = (typeof ENDPOINTS)[number];

/** `other`: a path that the interface document does not name. */
export type Endpoint = KnownEndpoint | 'other';

interface EndpointFacts {
	/** Whether a request must have the service's key, must not have one, or may. */
	key: 'required' | 'refused' | 'ignored';
	billable: boolean;
	/** The shape of its errors in the document, which shows the alternate one only for chat. */
	errorShape: ErrorShape;
	/** The JSON body that it requires; default none. */
	body?: { schema: z.ZodType; example: Record<string, unknown> };
}

/** How a request comes to an endpoint. */
export interface Address {
	method: 'GET' | 'POST';
	/** After the prefix; `:task` is a task id. The document has the paths of videos also without `/media`. */
	path: string;
	/** Whether the body asks for a stream; undefined: either. */
	streams?: boolean;
}

const positive = 'must be a positive integer';
const stopRule = 'must be a string or an array of strings';

/** POST /v1/chat/completions. Fields that the document does not name are accepted. */
export const chatRequest = z.looseObject({
	model: nonEmpty,
	messages,
	temperature: between(0, 2).optional(),
	max_tokens: z.int(rule(positive)).positive(positive).optional(),
	top_p: between(0, 1).optional(),
	stream: z.boolean(rule('must be true or false')).optional(),
	stream_options: z
		.looseObject({ include_usage: z.boolean(rule('must be true or false')).optional() })
		.optional(),
	stop: z.union([z.string(), z.array(z.string())], rule(stopRule)).optional(),
	presence_penalty: between(-2, 2).optional(),
	frequency_penalty: between(-2, 2).optional(),
	user: text.optional(),
});

export const chatExample = {
	model: 'heron-chat',
	messages: [{ role: 'user', content: 'Is bread with “crème brûlée ☕” a meal?' }],
};

/** POST {video prefix}/video/generations, with the document's defaults. */
export const videoRequest = z.looseObject({
	prompt: nonEmpty,
	model: nonEmpty,
	size: z.enum(['480p', '720p', '1080p'], rule('must be 480p, 720p or 1080p')).default('720p'),
	duration: between(2, 10).default(5),
	fps: z.literal([24, 30, 60], rule('must be 24, 30 or 60')).default(24),
	n: integerBetween(1, 4).default(1),
	response_format: z.enum(['url', 'b64_json'], rule("must be 'url' or 'b64_json'")).default('url'),
	user: text.optional(),
});

export const videoExample = {
	model: 'kite-motion',
	prompt: 'A fox crosses a frozen lake',
	duration: 2,
};

export type ChatRequest = z.infer<typeof chatRequest>;
export type VideoRequest = z.infer<typeof videoRequest>;

const QUERY = { key: 'required', billable: false, errorShape: 'general', method: 'GET' } as const;
const CHAT = {
	key: 'required',
	billable: true,
	errorShape: 'alternate',
	method: 'POST',
	path: '/v1/chat/completions',
	body: {
		schema: chatRequest,
		example: chatExample,
	},
} as const;
const VIDEOS = '/media/v1/video/generations';

/** All facts of each endpoint but what it does, which is its handler. */
const KNOWN: Record<KnownEndpoint, EndpointFacts & Address> = {
	chat: { ...CHAT, streams: false },
	chatStream: { ...CHAT, streams: true },
	models: { ...QUERY, path: '/v1/models' },
	submit: {
		...QUERY,
		billable: true,
		method: 'POST',
		path: VIDEOS,
		body: { schema: videoRequest, example: videoExample },
	},
	poll: { ...QUERY, path: `${VIDEOS}/:task` },
	download: { ...QUERY, key: 'refused', path: '/files/:task.mp4' },
};

export const ADDRESSES: Record<KnownEndpoint, Address> = KNOWN;

export const FACTS: Record<Endpoint, EndpointFacts> = {
	...KNOWN,
	other: { ...QUERY, key: 'ignored' },
};
