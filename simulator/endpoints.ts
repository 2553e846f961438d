/** `general` is `{code, message, data}`; `alternate` is `{error: {message, type, code}}`. */
export type ErrorShape = 'general' | 'alternate';

/** `chatStream` is a chat completion with `stream: true`. */
export const ENDPOINTS = ['chat', 'chatStream', 'models', 'submit', 'poll', 'download'] as const;

/** `other`: a path that the interface document does not name. */
export type Endpoint = (typeof ENDPOINTS)[number] | 'other';

interface EndpointFacts {
	/** Whether a request must have the service's key, must not have one, or may. */
	key: 'required' | 'refused' | 'ignored';
	billable: boolean;
	/** The shape of its errors in the document, which shows the alternate one only for chat. */
	errorShape: ErrorShape;
	hasJsonBody: boolean;
}

const CHAT: EndpointFacts = {
	key: 'required',
	billable: true,
	errorShape: 'alternate',
	hasJsonBody: true,
};
const QUERY: EndpointFacts = {
	key: 'required',
	billable: false,
	errorShape: 'general',
	hasJsonBody: false,
};

export const FACTS: Record<Endpoint, EndpointFacts> = {
	chat: CHAT,
	chatStream: CHAT,
	models: QUERY,
	submit: { ...QUERY, billable: true, hasJsonBody: true },
	poll: QUERY,
	download: { ...QUERY, key: 'refused' },
	other: { ...QUERY, key: 'ignored' },
};
