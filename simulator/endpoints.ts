/** `general` is `{code, message, data}`; `alternate` is `{error: {message, type, code}}`. */
export type ErrorShape = 'general' | 'alternate';

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
	hasJsonBody: boolean;
	/** What its requests are about, which names their model and prompt. */
	about: 'chat' | 'video' | 'task' | 'nothing';
}

/** How a request comes to an endpoint. */
export interface Address {
	method: 'GET' | 'POST';
	/** After the prefix; `:task` is a task id. The document has the paths of videos also without `/media`. */
	path: string;
	/** Whether the body asks for a stream. Default: any body. */
	streams?: boolean;
}

const CHAT = {
	key: 'required',
	billable: true,
	errorShape: 'alternate',
	hasJsonBody: true,
	about: 'chat',
	method: 'POST',
	path: '/v1/chat/completions',
} as const;
const QUERY = {
	key: 'required',
	billable: false,
	errorShape: 'general',
	hasJsonBody: false,
	method: 'GET',
} as const;
const VIDEOS = '/media/v1/video/generations';

/** All facts of each endpoint but what it does, which is its handler. */
const KNOWN: Record<KnownEndpoint, EndpointFacts & Address> = {
	chat: { ...CHAT, streams: false },
	chatStream: { ...CHAT, streams: true },
	models: { ...QUERY, about: 'nothing', path: '/v1/models' },
	submit: {
		...QUERY,
		billable: true,
		hasJsonBody: true,
		about: 'video',
		method: 'POST',
		path: VIDEOS,
	},
	poll: { ...QUERY, about: 'task', path: `${VIDEOS}/:task` },
	download: { ...QUERY, about: 'task', key: 'refused', path: '/files/:task.mp4' },
};

export const ADDRESSES: Record<KnownEndpoint, Address> = KNOWN;

export const FACTS: Record<Endpoint, EndpointFacts> = {
	...KNOWN,
	other: { ...QUERY, about: 'nothing', key: 'ignored' },
};
