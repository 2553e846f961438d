import type { ErrorSaid } from '../../gateway/dialects';
import { meaningOf } from '../../gateway/errors/meaning';
import { statusOf } from '../../gateway/errors/statuses';

const meant = (
	status: number,
	words: string,
	{ namesParameter = false, ...more }: Partial<ErrorSaid> & { namesParameter?: boolean } = {},
) => {
	const plain = { code: undefined, type: undefined, namesWait: false, isErrorBody: true };
	const { code = more.type } = more;
	return meaningOf({ ...plain, status, words, ...more }, code, namesParameter);
};

test.each<[number, string, { code?: string; type?: string }?]>([
	[429, 'Insufficient balance or no resource package. Please recharge.', { code: '1113' }],
	[429, '余额不足或无可用资源包,请充值。', { code: '1113' }],
	[429, 'Your account is suspended', { type: 'exceeded_current_quota_error' }],
	[429, 'You exceeded your current quota, please check your plan and billing details.'],
	[401, 'Insufficient balance. Manage your billing.', { type: 'CreditsError' }],
	[400, 'Your credit balance is too low to access the API.'],
	[403, 'Your team has used all available credits.'],
	[403, '用户额度不足'],
	[402, 'Payment required'],
	[400, 'You do not have enough credits to run this task.'],
	[400, 'Budget has been exceeded! Current cost: 1.2, Max budget: 1.0'],
	[412, 'Account suspended, due to reaching the monthly spending limit'],
])('a %i that says "%s" is a quota that is used up, for which no retry helps', (...row) => {
	const [status, words, more] = row;
	const meaning = meant(status, words, more);
	expect(meaning.message).toBe('The account has no quota left');
	expect(meaning.readAs).not.toBe(429);
});

test.each(['quota_not_enough', 'insufficient_quota', 'insufficient_user_quota'])(
	'the code %s is a quota that is used up, for which no retry helps, whatever the status',
	(code) => {
		for (const status of [402, 403, 429, 500, 502, 503, 504, 529])
			expect(statusOf(meant(status, 'No', { code }).readAs).isTransient).toBeUndefined();
	},
);

test('a service that names a wait for a quota has room again', () => {
	for (const readAs of [429, 503])
		expect(meant(readAs, 'No', { code: 'insufficient_quota', namesWait: true })).toMatchObject({
			readAs,
			isUsedUp: false,
		});
});

test.each<[number, string, boolean]>([
	[429, 'Rate limit reached for requests per minute', false],
	[429, 'Quota exceeded for requests per day', false],
	[429, 'Rate limit exceeded. Add 10 credits to unlock 1000 free requests a day', false],
	[429, 'You exceeded your current quota, please check your plan and billing details', true],
])('a %i that says "%s" is a rate', (status, words, namesWait) => {
	const meaning = meant(status, words, { namesWait });
	expect(meaning).toMatchObject({ code: 'rate_limit_exceeded', readAs: 429 });
	expect(meaning.message).toMatch(/rate limit/);
});

test.each([
	[400, 'Incorrect API key provided: x', 'The service refused the API key'],
	[400, 'API key not valid. Please pass a valid API key.', 'The service refused the API key'],
	[403, '无效的令牌', 'The service refused the API key'],
	[400, 'The model is currently overloaded', 'The service is overloaded or under maintenance'],
	[400, "The prompt triggered Azure OpenAI's content management policy", 'content policy'],
	[404, 'The API deployment for this resource does not exist', 'The model does not exist'],
	[404, 'No endpoints found for foo/bar', 'The model does not exist'],
	[404, 'Invalid URL (GET /v1/models/x)', 'Endpoint not found'],
	[400, 'The thinking budget exceeded the maximum', 'refused a parameter'],
	[400, 'The input text may contain sensitive information.', 'content policy'],
	[400, 'Failure to pass the risk control system', 'content policy'],
	[422, "body.duration: permitted: '5', '10'", 'refused a parameter'],
	[413, 'Request too large: Limit 6000, Requested 12328', 'too large'],
])('a %i that says "%s" is told as: %s', (status, words, message) => {
	expect(meant(status, words).message).toContain(message);
});

test('a service is overloaded where its own error body says so', () => {
	const anthropic = { type: 'overloaded_error' };
	expect(meant(529, 'Overloaded', anthropic).readAs).toBe(503);
	expect(meant(500, 'Overloaded', anthropic).readAs).toBe(503);
	expect(meant(529, 'A page', { isErrorBody: false }).readAs).toBe(529);
});

test('a parameter is to be corrected only where the service names one', () => {
	expect(meant(400, 'No', { namesParameter: true }).advice).toMatch(/^Correct the parameter/);
	expect(meant(400, 'No').advice).toMatch(/^See the message/);
	expect(meant(400, '').advice).toMatch(/does not say which one/);
});

test.each<[number, string, string, { code?: string; type?: string }]>([
	[
		401,
		'key not allowed to access model',
		'(401 key_model_access_denied)',
		{ type: 'key_model_access_denied' },
	],
	[404, 'No endpoints found that support tool use', '(404)', {}],
	[404, 'No endpoints available matching your data policy', '(404)', {}],
	[400, 'It has 9000 tokens', '(400 context_length_exceeded)', { code: 'context_length_exceeded' }],
	[400, "This model's maximum context length is 4096 tokens", '(400)', {}],
	[
		400,
		'Failed to call a function',
		'(400 tool_use_failed)',
		{ code: 'tool_use_failed', type: 'invalid_request_error' },
	],
	[403, 'Not here', '(403 region_blocked)', { code: 'region_blocked' }],
])('a %i that says "%s", which nobody knows, is told as %s', (status, words, told, more) => {
	const { message, advice, code } = meant(status, words, { ...more, namesParameter: true });
	expect(message).toBe(`The service refused the request ${told}`);
	expect(advice).toMatch(/^See the message from the service below\./);
	expect(advice.includes('If it is about the key')).toBe(status === 401);
	expect(code).toBe(meant(status, '').code);
	expect(meant(status, '', more).advice).toBe(
		told.includes('_')
			? 'The service says no more: see its documentation for what this code means.'
			: meant(status, '').advice,
	);
});

test.each([
	[413, 'The request is too large for the service'],
	[429, 'The rate limit of the API key is exceeded'],
	[500, 'The service had an internal error'],
	[503, 'The service is overloaded or under maintenance'],
])('a %i with a code that nobody knows keeps its sentence', (status, message) => {
	expect(meant(status, 'No', { code: 'e_17' }).message).toBe(message);
});

test.each<[number, string, { code?: string; type?: string }, string]>([
	[400, 'Invalid model name passed in model=heron', {}, 'The model does not exist'],
	[400, 'Content Exists Risk', { code: 'invalid_request_error' }, 'content policy'],
	[403, 'Content violates usage guidelines', { code: 'e_17' }, 'content policy'],
	[400, 'Too hot', { code: 'InvalidParameter' }, 'refused a parameter'],
	[400, 'Too hot', { type: 'BadRequestError' }, 'refused a parameter'],
	[401, 'No', { type: 'authentication_error' }, 'refused the API key'],
	[403, 'No', { type: 'permission_error' }, 'not allowed'],
	[404, 'No', { type: 'NotFoundError' }, 'Endpoint not found'],
	[404, 'No', { type: 'invalid_request_error' }, 'Endpoint not found'],
	[400, 'No', { code: 'task_not_exist' }, 'Video task not found'],
])('a %i that says "%s" with %j is told as: %s', (status, words, more, message) => {
	expect(meant(status, words, more).message).toContain(message);
});
