import { errorMeaning, type ErrorSaid, namesParameter } from '../../gateway/dialects';
import { CODE_WORDS } from '../../gateway/dialects/errorMeaning';

const meant = (status: number, words: string, more: Partial<ErrorSaid> = {}) =>
	errorMeaning({
		...{ status, words, code: undefined, type: undefined, namesWait: false, isErrorBody: true },
		...more,
	});

/** What each code means: in the parts of its name, without "error" at its end. */
const CODES = {
	quota_not_enough: 'credit, credits, arrearage, exceeded current quota',
	service_unavailable: 'overloaded',
	invalid_request_error:
		'invalid request, bad request, invalid argument, validation, invalid parameter, missing required parameter, invalid value, unknown parameter, unsupported parameter, unsupported value',
	invalid_api_key:
		'authentication, auth, unauthorized, unauthenticated, invalid authentication, invalid token, invalid api key',
	forbidden: 'forbidden, permission, permission denied, access denied',
	not_found: 'not found',
	model_not_found:
		'model not found, model not exist, deployment not found, invalid model, unknown model, no such model',
	task_not_found: 'task not found, task not exist',
	content_filtered:
		'content filter, content policy violation, data inspection failed, responsible ai policy violation, content moderation',
};
const ROWS = Object.entries(CODES).flatMap(([code, words]) =>
	words.split(', ').map((word) => [word, code] as const),
);

test('each code of the table is played here', () => {
	const table = CODE_WORDS.flatMap(([code, words]) => words.map((word) => `${word}: ${code}`));
	expect(table.sort()).toEqual(ROWS.map(([word, code]) => `${word}: ${code}`).sort());
});

test.each(ROWS)('the code "%s" means %s, in each way to write it', (word, code) => {
	const camel = word.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
	for (const written of [word.replaceAll(' ', '-'), `${camel}Error`, word.toUpperCase()]) {
		expect(meant(418, '', { code: written })).toMatchObject({ code });
		expect(meant(418, '', { type: written })).toMatchObject({ code });
	}
	expect(meant(418, '', { code: `${word}_x` })).toBeUndefined();
	expect(meant(418, '', { code: `x_${word}` })).toBeUndefined();
});

test.each([
	['billing_hard_limit_reached', 'rebilling'],
	['insufficient_quota', 'sufficient_quota'],
	['insufficient_user_quota', 'insufficient_permissions'],
	['InsufficientBalance', 'balance'],
	['insufficient_funds', 'insufficient_fun'],
	['AccountOverdueError', 'overdues'],
])('the code %s is about a balance, and %s is not', (code, other) => {
	expect(meant(418, '', { code })).toMatchObject({ code: 'quota_not_enough' });
	expect(meant(418, '', { code: other })).toBeUndefined();
});

test.each<[number, string, string | undefined, string]>([
	[400, 'Violated guardrail policy', 'content_filtered', 'The guardrail gr-1 is not found'],
	[400, 'Content blocked: a word was found', 'content_filtered', 'The contents block is empty'],
	[400, 'Blocked by input guardrail', 'content_filtered', 'A guardrail is missing'],
	[400, 'Incorrect API key provided', 'invalid_api_key', 'The API keyboard is incorrect'],
	[400, 'The access token has expired', 'invalid_api_key', 'The access to the token page'],
	[400, 'Please provide a credential', 'invalid_api_key', 'Please provide a file'],
	[400, '令牌已过期', 'invalid_api_key', '已过期'],
	[400, 'Blocked by our content policy', 'content_filtered', 'The content and our policy'],
	[400, 'Content Exists Risk', 'content_filtered', 'Content exists'],
	[400, 'It needs moderation', 'content_filtered', 'It is moderate'],
	[400, 'A jailbreak was found', 'content_filtered', 'A break was found'],
	[400, 'Our safety system refused it', 'content_filtered', 'Safety first'],
	[403, 'Content violates usage guidelines', 'content_filtered', 'See the guidelines'],
	[400, 'Responsible AI', 'content_filtered', 'Responsible people'],
	[400, 'It was flagged', 'content_filtered', 'The flag'],
	[400, 'It has sensitive words', 'content_filtered', 'It is case sensitive'],
	[400, 'The risk control refused it', 'content_filtered', 'The risk is yours'],
	[400, 'Data inspection failed', 'content_filtered', 'Inspect the data'],
	[400, 'A policy violation', 'content_filtered', 'A policy'],
	[400, '内容违规', 'content_filtered', '内容'],
	[400, 'The model is overloaded', 'service_unavailable', 'The model is loaded'],
	[400, 'We are at capacity', 'service_unavailable', 'The capacity'],
	[400, 'The server is busy', 'service_unavailable', 'He is busy'],
	[400, '系统繁忙', 'service_unavailable', '系统'],
	[404, 'No such deployment', 'model_not_found', 'See /v1/models'],
	[404, 'No endpoints found for foo/bar', 'model_not_found', 'No endpoints'],
	[400, 'Invalid model name', 'model_not_found', 'The model is fine'],
	[400, 'The model heron does not exist', 'model_not_found', 'The file does not exist'],
	[404, 'No endpoints found that support tools', undefined, 'Endpoints found'],
	[404, 'No allowed endpoints available matching it', undefined, 'No endpoints'],
	[400, 'Beyond the context length', undefined, 'The length of the context'],
	[400, 'The input is too long', undefined, 'The wait is too long'],
	[403, 'Your balance is insufficient', 'quota_not_enough', 'The thinking budget is exceeded'],
	[403, 'You ran out of credits', 'quota_not_enough', 'Credits to the author'],
	[403, 'Please top up', 'quota_not_enough', 'At the top, up there'],
	[403, 'Please recharge', 'quota_not_enough', 'There is no charge'],
	[403, 'You are in arrears', 'quota_not_enough', 'You are in'],
	[403, 'Add a payment method', 'quota_not_enough', 'Add a method'],
	[403, 'The spending limit', 'quota_not_enough', 'The limit'],
	[403, '余额不足', 'quota_not_enough', '不足'],
])('a %i that says "%s" means %s, and one that says "%s" does not', (...row) => {
	const [status, words, code, other] = row;
	expect(meant(status, words)).toMatchObject({ code });
	expect(meant(status, other)).toBeUndefined();
});

test.each([
	['"duration" is too long', 'The film is too long'],
	['max_tokens: 9 is too large', 'It is too large'],
	['messages[0] has no role', 'It has no role'],
	['The prompt must be shorter', 'Be shorter'],
])('"%s" names a parameter, and "%s" does not', (words, other) => {
	expect([namesParameter(words), namesParameter(other)]).toEqual([true, false]);
});
