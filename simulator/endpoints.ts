/** `chatStream` is a chat completion with `stream: true`. */
export const ENDPOINTS = ['chat', 'chatStream', 'models', 'submit', 'poll', 'download'] as const;

export type Endpoint = (typeof ENDPOINTS)[number] | 'other';
