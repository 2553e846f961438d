import { type ErrorCode, isErrorCode } from '../schemas/errors';
import { wordsIn } from './values';

/** What an error response says. */
export interface ErrorSaid {
	status: number;
	/** The service's own code, and OpenAI's class of the error, which other services use as a code. */
	code: string | undefined;
	type: string | undefined;
	words: string;
	/** Whether the response names a wait, after which the same request may succeed. */
	namesWait: boolean;
	/** Whether the body is an error body of the service. */
	isErrorBody: boolean;
}

/** A code of the interface, or the one of a status that the interface has no code for. */
type Code = ErrorCode | 'forbidden' | 'not_found' | 'service_unavailable';

/** What an error means in the interface's words. */
export interface ErrorMeaning {
	/** Undefined: what is said shows that it is none of the interface's errors. */
	code: Code | undefined;
	/** The status that counts in place of the one that was sent. */
	status?: number;
}

/** Codes and classes of other services in their parts, without "error" at the end. */
export const CODE_WORDS: ReadonlyArray<readonly [Code, words: readonly string[]]> = [
	['quota_not_enough', ['credit', 'credits', 'arrearage', 'exceeded current quota']],
	['service_unavailable', ['overloaded']],
	['invalid_request_error', ['invalid request', 'bad request', 'invalid argument', 'validation']],
	['invalid_request_error', ['invalid parameter', 'missing required parameter', 'invalid value']],
	['invalid_request_error', ['unknown parameter', 'unsupported parameter', 'unsupported value']],
	['invalid_api_key', ['authentication', 'auth', 'unauthorized', 'unauthenticated']],
	['invalid_api_key', ['invalid authentication', 'invalid token', 'invalid api key']],
	['forbidden', ['forbidden', 'permission', 'permission denied', 'access denied']],
	['not_found', ['not found']],
	['model_not_found', ['model not found', 'model not exist', 'deployment not found']],
	['model_not_found', ['invalid model', 'unknown model', 'no such model']],
	['task_not_found', ['task not found', 'task not exist']],
	['content_filtered', ['content filter', 'content policy violation', 'data inspection failed']],
	['content_filtered', ['responsible ai policy violation', 'content moderation']],
];

/** Any other code for a balance: OpenAI, new-api, Volcengine. */
const QUOTA_CODE = /^billing\b|\binsufficient .*(?:quota|balance|funds?|credits?)\b|\boverdue\b/;
/** Statuses that services send for an account without a balance. With any other, only a code tells it. */
const QUOTA_STATUSES = [400, 401, 402, 403, 412, 429];
const MONEY = '\\b(?:balance|credits?|funds?|(?<!(?:thinking|reasoning|token) )budget)\\b';
const GONE =
	'\\b(?:insufficient|not (?:have )?enough|no|low|negative|overdue|out of|used all|used up|ran out|run out|exceeded|exhausted|depleted|expired|zero)\\b';
const QUOTA_WORDS = new RegExp(
	[
		`${GONE}.{0,40}${MONEY}`,
		`${MONEY}.{0,60}${GONE}`,
		'\\brecharge|\\btop(?:ping)?[ -]?up\\b|\\b(?:purchase|buy) (?:more |extra )?(?:credits|usage)\\b',
		'\\bin arrears\\b|\\bpayment (?:method|required)|\\b(?:spending|billing|credit) (?:hard )?limit\\b',
		'\\bquota\\b.{0,200}\\bbilling\\b|\\binsufficient[ _-](?:\\w+[ _-])?quota\\b',
		'余额|欠费|充值|额度(?:不足|已用)|资源包',
	].join('|'),
	'is',
);
/** The free requests of a day, beyond which some services offer credits. */
const RATE_WORDS = /\brate.?limit/i;

const KEY = 'api[ _-]?keys?|access[ _]token|auth\\w*[ _]token|bearer token|credentials?';
const WRONG =
	'invalid|incorrect|expired|revoked|wrong|disabled|deleted|malformed|missing|required|not (?:valid|found|recognized|active)';
const KEY_WORDS = new RegExp(
	`\\b(?:${KEY})\\b.{0,60}\\b(?:${WRONG})\\b|\\b(?:${WRONG}|unknown|provide a)\\b.{0,20}\\b(?:${KEY})\\b|无效的(?:令牌|密钥)|(?:令牌|密钥).{0,10}(?:无效|过期)`,
	'i',
);
const FILTER_WORDS =
	/content[ _-]?(?:policy|policies|filter|management|moderation|violation)|\bcontent (?:was |is )?blocked\b|\bcontent exists risk|\bmoderation\b|\bjailbreak|\bsafety (?:system|polic|filter|guideline|check)|\busage guidelines|responsible ?ai|\bflagged\b|(?:inappropriate|sensitive|prohibited|harmful|unsafe) (?:content|information|words?)|\brisk[ _-]control|data ?inspection|policy violation|\b(?:violated|blocked by) (?:\w+ )?guardrail|敏感|违规|内容安全/i;
const BUSY_WORDS =
	/\boverload|\b(?:over|at) capacity\b|\bcapacity (?:exceeded|constraint)|\b(?:server|service|system|model|engine)s?\b.{0,20}\bbusy\b|负载|繁忙|过载/i;
const MODEL_WORDS =
	/\b(?:invalid|unknown|no such) model\b|\bmodel\b.{0,80}\b(?:(?:does )?not exist|not found)\b|模型不存在/i;
/** Words that tell more than the status, and the statuses that they count with. */
const ERROR_WORDS: ReadonlyArray<
	readonly [Code | undefined, statuses: number[] | 'any', words: RegExp]
> = [
	['invalid_api_key', 'any', KEY_WORDS],
	['content_filtered', 'any', FILTER_WORDS],
	['service_unavailable', 'any', BUSY_WORDS],
	// OpenRouter has the model, and no provider of it that can do this, or that the account allows.
	[undefined, [404], /\bno (?:\w+ )?endpoints (?:found|available) (?!for\b)/i],
	// The model's name is no part of a path such as `/v1/models`. OpenRouter: "No endpoints found for foo/bar".
	['model_not_found', [404], /(?<![\w/])(?:model|deployment)s?\b|\bno endpoints found for\b/i],
	['model_not_found', [400, 403], MODEL_WORDS],
	[undefined, [400], /\bcontext (?:length|size|window)\b|\b(?:input|prompt) is too long\b/i],
];
/** An overload that says so is one whatever its status (Anthropic, RFC 6585 has no 529). */
const OVERLOADED = 529;

/** Reads code, class, words and status together, since each alone may say something else; undefined if they say nothing more. */
export function errorMeaning(said: ErrorSaid): ErrorMeaning | undefined {
	const { status, code, words, isErrorBody } = said;
	if (isQuota(said))
		return { code: 'quota_not_enough', status: mayHaveRoomAgain(status) ? 403 : status };
	// A code of its own says more than its class.
	const meant = codeMeaning(code ?? said.type);
	const meanings = [meant, codeMeaning(said.type)];
	if (isErrorBody && (status === OVERLOADED || meanings.includes('service_unavailable')))
		return { code: 'service_unavailable', status: 503 };
	if (isErrorCode(code) && code !== 'invalid_request_error') return undefined;
	const told = ERROR_WORDS.find(
		([, statuses, expression]) =>
			(statuses === 'any' || statuses.includes(status)) && expression.test(words),
	);
	if (told) return { code: told[0] };
	return meant && { code: meant };
}

/** Whether the same request may succeed after a response with this status. */
const mayHaveRoomAgain = (status: number) => status === 429 || status >= 500;

function codeMeaning(code = ''): Code | undefined {
	const words = wordsIn(code).replace(/ (?:error|exception)$/, '');
	return CODE_WORDS.find(([, known]) => known.includes(words))?.[0];
}

function isQuota({ status, code, type, words, namesWait }: ErrorSaid): boolean {
	if (status === 402 || code === 'quota_not_enough') return true;
	// Gemini says of a rate, too, that the quota is exceeded, and when it has room again.
	if (namesWait && mayHaveRoomAgain(status)) return false;
	if (isQuotaCode(code) || isQuotaCode(type)) return true;
	if (!QUOTA_STATUSES.includes(status) || !QUOTA_WORDS.test(words)) return false;
	return !(status === 429 && RATE_WORDS.test(words));
}

/** Whether a code says that the account must be topped up, so that no retry helps. */
export function isQuotaCode(code = ''): boolean {
	return codeMeaning(code) === 'quota_not_enough' || QUOTA_CODE.test(wordsIn(code));
}

/** The name of a parameter: in quotation marks, of several words or places, or as the subject of a sentence. */
const NAMED_MODEL =
	/['"`‘“][\w.[\]-]+['"`’”]|\b[a-z]+_[a-z_]+\b|\b(?:body|messages)[.[]|\b(?:temperature|messages?|prompt|size|duration|fps|stop|user|stream|tools?|model|n)\b(?: \w+)?:? (?:is|are|must|should|cannot|may|has|have|exceeds?|too|contains?)\b/i;

/** Whether words name the parameter that is refused. */
export const namesParameter = (words: string): boolean => NAMED_MODEL.test(words);
