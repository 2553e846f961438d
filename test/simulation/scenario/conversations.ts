// Messages of a chat as JSON: those that the service takes, and one list of each kind that it does not.

export interface Message {
	role: string;
	content?: unknown;
	tool_calls?: object[];
	tool_call_id?: string;
}

const user = (content: unknown): Message => ({ role: 'user', content });
const text = (words: string) => ({ type: 'text', text: words });
const calls = [{ id: 'call-1', type: 'function', function: { name: 'look', arguments: '{}' } }];
const called: Message = { role: 'assistant', content: null, tool_calls: calls };

/** The last message of the user is the prompt of the item. */
const GOOD: Record<string, (prompt: string) => Message[]> = {
	turns: (prompt) => [user('Hi'), { role: 'assistant', content: 'Hello.' }, user(prompt)],
	instructions: (prompt) => [
		{ role: 'system', content: 'Be brief.' },
		{ role: 'developer', content: 'No lists.' },
		user(prompt),
	],
	'tool calls': (prompt) => [
		user(prompt),
		called,
		{ role: 'tool', tool_call_id: 'call-1', content: 'Nothing.' },
	],
	'empty tool result': (prompt) => [
		user(prompt),
		{ ...called, content: '' },
		{ role: 'tool', tool_call_id: 'call-1', content: '' },
	],
	parts: (prompt) => [
		{ role: 'system', content: [text('Be brief.'), text('No lists.')] },
		user([text(prompt)]),
	],
	'empty answer': (prompt) => [user('Hi'), { role: 'assistant', content: '' }, user(prompt)],
};

/** How the error begins that names what is wrong. */
const BAD: Record<string, [messages: (prompt: string) => unknown, named: string]> = {
	'no list': [(prompt) => user(prompt), 'Messages (JSON) must be an array'],
	'no message': [() => [], 'Messages must contain at least one message'],
	'a text': [(prompt) => [user(prompt), 'Hi'], '2nd message must be an object'],
	'no role': [(prompt) => [{ content: 'Hi' }, user(prompt)], '1st message: Role must be'],
	'unknown role': [(prompt) => [user(prompt), { role: 'bot', content: 'x' }], '2nd message: Role'],
	'no call ID': [(prompt) => [user(prompt), { role: 'tool', content: 'x' }], '2nd message: Role'],
	'empty call ID': [
		(prompt) => [user(prompt), called, { role: 'tool', tool_call_id: '', content: 'x' }],
		'3rd message: Role',
	],
	'no content': [(prompt) => [user(prompt), { role: 'user' }], '2nd message: Content is empty'],
	'blank content': [(prompt) => [user(' \n'), user(prompt)], '1st message: Content is empty'],
	'no calls': [
		(prompt) => [user(prompt), { ...called, tool_calls: [] }],
		'2nd message: Content is empty',
	],
	image: [
		(prompt) => [user([text(prompt), { type: 'image_url', image_url: { url: 'x' } }])],
		'1st message: Content must be text',
	],
	'a number': [(prompt) => [user({ n: 7 }), user(prompt)], '1st message: Content must be text'],
};

export const CONVERSATIONS = [...Object.keys(GOOD), ...Object.keys(GOOD), ...Object.keys(BAD)] as [
	string,
	...string[],
];

/** As the user enters them. */
export function messagesOf(conversation: string, prompt: string): unknown {
	return (GOOD[conversation] ?? BAD[conversation]?.[0])?.(prompt);
}

/** As the service gets them: the parts of a text joined. */
export function sentMessages(conversation: string, prompt: string): object[] {
	const messages = GOOD[conversation]?.(prompt) ?? [];
	return messages.map(({ content, ...rest }) => ({
		...rest,
		content: Array.isArray(content)
			? (content as Array<{ text: string }>).map((each) => each.text).join('\n\n')
			: content,
	}));
}

/** How the error of a conversation begins that the service does not take. */
export function errorOfConversation(conversation = ''): string | undefined {
	return BAD[conversation]?.[1];
}
