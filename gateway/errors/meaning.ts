import { type Status, STATUSES, statusOf } from './statuses';

/** What an error response says. */
interface Said {
	status: number;
	/** The service's own code, and OpenAI's class of the error, which other services use as a code. */
	code: string | undefined;
	type: string | undefined;
	words: string;
	/** Whether the response names the parameter that it refuses. */
	namesParameter: boolean;
	/** Whether the response names a wait, after which the same request may succeed. */
	namesWait: boolean;
	/** Whether the body is an error body of the service. */
	isErrorBody: boolean;
}

/** What it means for a user, and for the request. */
export interface Meaning extends Status {
	/** The status whose row of the table tells whether the request is retried, and whether it may be billed. */
	readAs: number;
	/** The account must be topped up: no retry helps. */
	isUsedUp: boolean;
}

/** Other services' codes and classes for `quota_not_enough`: OpenAI, MiniMax, new-api, Alibaba, OpenCode, Volcengine. */
const QUOTA_CODE =
	/^(?:quota_not_enough|billing_|exceeded_current_quota|arrearage)|insufficient.*(?:quota|balance|funds?|credits?)|credits?_?error|overdue/i;
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
/** Words that tell more than the status, whatever it is, and the code of their row. */
const WORDS: ReadonlyArray<readonly [code: string, words: RegExp]> = [
	[
		'invalid_api_key',
		new RegExp(
			`\\b(?:${KEY})\\b.{0,60}\\b(?:${WRONG})\\b|\\b(?:${WRONG}|unknown|provide a)\\b.{0,20}\\b(?:${KEY})\\b|无效的(?:令牌|密钥)|(?:令牌|密钥).{0,10}(?:无效|过期)`,
			'i',
		),
	],
	[
		'content_filtered',
		/content[ _-]?(?:policy|policies|filter|management|moderation|violation)|\bmoderation\b|\bjailbreak|\bsafety (?:system|polic|filter|guideline|check)|responsible ?ai|\bflagged\b|(?:inappropriate|sensitive|prohibited|harmful|unsafe) (?:content|information|words?)|\brisk[ _-]control|data ?inspection|policy violation|敏感|违规|内容安全/i,
	],
	[
		'service_unavailable',
		/\boverload|\b(?:over|at) capacity\b|\bcapacity (?:exceeded|constraint)|\b(?:server|service|system|model|engine)s?\b.{0,20}\bbusy\b|负载|繁忙|过载/i,
	],
];
/** The model's name is no part of a path such as `/v1/models`. OpenRouter: "No endpoints found for foo/bar". */
const MODEL_WORDS = /(?<![\w/])(?:model|deployment)s?\b|\bno endpoints found for\b/i;
/** An overload that says so is one whatever its status (Anthropic, RFC 6585 has no 529). */
const OVERLOADED = 529;

/** Reads code, class, words and status together: each alone may say something else. */
export function meaningOf(said: Said): Meaning {
	const { status, words, isErrorBody } = said;
	const isUsedUp = isQuota(said);
	const isOverload =
		isErrorBody && (status === OVERLOADED || [said.code, said.type].includes('overloaded_error'));
	const row = isUsedUp
		? rowOf('quota_not_enough')
		: isOverload
			? rowOf('service_unavailable')
			: (rowOfCode(said) ?? rowOfWords(said) ?? statusOf(status));
	const advice =
		words === ''
			? row.adviceWithoutWords
			: said.namesParameter
				? undefined
				: row.adviceWithoutParameter;
	return {
		...row,
		// A code that the service did not send does not change with its words, unless the status's own would be wrong.
		code: isUsedUp && status !== 402 ? row.code : statusOf(status).code,
		advice: advice ?? row.advice,
		isUsedUp,
		readAs: isUsedUp && status === 429 ? row.status : isOverload ? row.status : status,
	};
}

function isQuota({ status, code, type, words, namesWait }: Said): boolean {
	if (status === 402 || code === 'quota_not_enough') return true;
	// Gemini says of a rate, too, that the quota is exceeded, and when it has room again.
	if (namesWait && status === 429) return false;
	if (isQuotaCode(code ?? '') || isQuotaCode(type ?? '')) return true;
	if (!QUOTA_STATUSES.includes(status) || !QUOTA_WORDS.test(words)) return false;
	return !(status === 429 && RATE_WORDS.test(words));
}

/** Whether a code says that the account must be topped up, so that no retry helps. */
export function isQuotaCode(code: string): boolean {
	return QUOTA_CODE.test(code);
}

/** A code says more than its status. That of a rate counts where a rate is meant: Groq sends it with 413, too. */
function rowOfCode({ status, code }: Said): Status | undefined {
	const row = STATUSES.find((entry) => entry.isSpecific && entry.code === code);
	const isElsewhere = row?.status === 429 && status >= 300 && status !== 429 && status !== 503;
	return isElsewhere ? undefined : row;
}

function rowOfWords({ status, words }: Said): Status | undefined {
	const [code] = WORDS.find(([, told]) => told.test(words)) ?? [];
	if (code !== undefined) return rowOf(code);
	return status === 404 && MODEL_WORDS.test(words) ? rowOf('model_not_found') : undefined;
}

function rowOf(code: string): Status {
	return STATUSES.find((entry) => entry.code === code) ?? statusOf(503);
}
