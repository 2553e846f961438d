import { reasonWords } from '../../gateway/dialects/reasonWords';

const KEY = 'key"of-tests';
const redact = (text: string) => text.replaceAll(KEY, '[API key removed]');
const wordsOf = (body: unknown) => redact(reasonWords(body));

test.each<[string, unknown, string]>([
	['a message', { error: { message: 'Too long', type: 'x', code: 'y' } }, 'Too long'],
	['a text', { error: 'Too long' }, 'Too long'],
	['a bare text', 'Too long', 'Too long'],
	[
		'a status message',
		{ base_resp: { status_code: 1008, status_msg: 'No balance' } },
		'No balance',
	],
	['a camel case', { taskErrorMessage: 'Blocked' }, 'Blocked'],
	['a name in one word', { errmsg: 'Blocked' }, 'Blocked'],
	['reasons in a list', { raiMediaFilteredReasons: ['Child', 'Face'] }, 'Child; Face'],
	[
		'what OpenRouter passes on as a text',
		{
			error: {
				message: 'Provider returned error',
				code: 400,
				metadata: { raw: '{"error":{"message":"Prompt too long"}}', provider_name: 'P' },
			},
		},
		'Provider returned error: Prompt too long',
	],
	[
		'what OpenRouter passes on as words',
		{ error: { message: 'Provider returned error', metadata: { raw: 'busy' } } },
		'Provider returned error: busy',
	],
	[
		'the value of an error',
		{ error: { message: 'Bad input', value: { error_message: 'No such field' } } },
		'Bad input: No such field',
	],
	[
		'a map of fields',
		{
			type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
			title: 'One or more validation errors occurred.',
			status: 400,
			errors: { Prompt: ['The Prompt field is required.'], Size: ['No.', 'Never.'] },
			traceId: 'x',
		},
		'One or more validation errors occurred.: Prompt: The Prompt field is required.; Size: No.; Never.',
	],
	[
		'details beside an error',
		{ error: 'Failed', details: 'No such model' },
		'Failed: No such model',
	],
	[
		'a field in its place',
		{ detail: [{ loc: ['body', 'n'], msg: 'too large', type: 'x' }] },
		'body.n: too large',
	],
	[
		'an inner error',
		{ error: { message: 'Filtered', innererror: { code: 'x', message: 'Jailbreak' } } },
		'Filtered: Jailbreak',
	],
	[
		'a failure inside a success',
		{ code: 200, msg: 'success', data: { status: 'fail', failMsg: 'Too dark', msg: '' } },
		'Too dark',
	],
	['the same words once', { error: 'Too long', message: 'Too long', msg: 'long' }, 'Too long'],
	[
		'no words of others',
		{
			id: 'x',
			title: 'A boat',
			prompt: 'A boat',
			error_code: 'E1',
			error_url: 'https://a.test',
			finish_reason: 'stop',
			reasoning_content: 'So',
			messages: [{ role: 'user', content: [{ type: 'text', text: 'A boat' }] }],
			error: null,
			message: 'None',
		},
		'',
	],
	['no page', { error: { message: '<html><body>Bad gateway' } }, ''],
])('%s', (_what, body, words) => expect(wordsOf(body)).toBe(words));

test('a key is whole in the words, also where a text repeats it as JSON', () => {
	const text = `${'a'.repeat(100_000)}${KEY}`;
	expect(wordsOf({ error: text })).toMatch(/a\[API key removed\]$/);
	expect(wordsOf({ error: JSON.stringify({ message: `No ${KEY}` }) })).toBe('No [API key removed]');
	expect(wordsOf({ errors: { [KEY]: ['refused'] } })).toBe('[API key removed]: refused');
});

test('a body without end is read to some depth and some entries', () => {
	const many = {
		errors: Array.from({ length: 10_000 }, (_, index) => ({ message: `No ${index}` })),
	};
	expect(wordsOf(many)).toMatch(/^No 0; .*No 19$/);
	let deep: unknown = { message: 'too deep' };
	for (let level = 0; level < 50; level += 1) deep = { error: deep };
	expect(wordsOf(deep)).toBe('');
});
