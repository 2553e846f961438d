import { FAULTS } from '../../simulator';
import { REFUSALS } from '../../simulator/faults/statuses';
import { CONNECTION_FAULTS } from './connectionFaults';
import {
	byKind,
	doubted,
	type Expectations,
	final,
	followed,
	foreign,
	good,
	ifBillable,
	lagging,
	lost,
	malformed,
	notThereYet,
	notUnderstood,
	retried,
	type Rule,
	silent,
	type ErrorOf,
} from './expected';
import { isProxyError, statusOf } from './faultDetails';
import { endpointOf, type RequestKind, REQUEST_KINDS } from './requestKinds';

/** Faults with the same effect for the user. */
export interface Row {
	what: string;
	faults: readonly string[];
	rule: Rule;
}

export interface Case extends Expectations {
	fault: string;
	kind: RequestKind;
}

const withEndings = (names: readonly string[], ...endings: string[]) =>
	names.flatMap((name) => endings.map((ending) => `${name}${ending}`));
const inEveryFormat = (...names: string[]) => withEndings(names, '', '-general', '-alternate');
const withoutCode = (...statuses: number[]) =>
	withEndings(['html-', 'text-', 'empty-'], ...statuses.map(String));
const code =
	(...error: ReturnType<ErrorOf>): ErrorOf =>
	() =>
		error;

/** The refusals of the interface document with these statuses, in every format. */
const documented = (...statuses: number[]) =>
	inEveryFormat(
		...REFUSALS.filter(({ status }) => statuses.includes(status)).map(({ name }) => name),
	);
/** Codes for responses without a code. */
const CODES_BY_STATUS: Record<number, string> = {
	400: 'invalid_request_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	413: 'payload_too_large',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};

/** Codes for errors of a proxy, which say nothing about a parameter or the key. */
const PROXY_ERROR_CODES: Record<number, string> = { 400: 'bad_request', 401: 'unauthorized' };

const codeOf: ErrorOf = (fault) => {
	const refusal = REFUSALS.find(({ name }) => name === fault.replace(/-(general|alternate)$/, ''));
	if (refusal !== undefined) return [refusal.code, refusal.status];
	const status = fault === 'echo-key-text' ? 401 : statusOf(fault);
	const proxyCode = isProxyError(fault) ? PROXY_ERROR_CODES[status] : undefined;
	const prefix = fault.startsWith('status-') ? 'status' : 'http';
	return [proxyCode ?? CODES_BY_STATUS[status] ?? `${prefix}_${status}`, status];
};

/** Seconds after which the service asks to retry. */
const retryAfter = (fault: string) => {
	if (fault.endsWith('fraction')) return 0.5;
	return /date|skewed|reset/.test(fault) ? 2 : 1;
};
const limited = code('rate_limit_exceeded', 429);

const redirected: ErrorOf = (fault) => ['redirect_refused', Number(fault.slice(-3))];

/** A video may be stored on another server, whose errors are not those of the service. */
const downloadRefused = code('download_refused');
/** Asked again with the key, the files of the simulator refuse that. */
const refusedWithKey: Rule = () => {
	const error = { code: 'download_refused', pauses: [0] };
	return { once: error, always: error };
};
const unlessDownload = (rule: Rule) => byKind({ download: final(downloadRefused) }, rule);
const unlessInterrupted = (rule: Rule) =>
	byKind({ download: retried(code('download_failed')) }, rule);
/** An unknown host is not retried, but a task is still polled until Max Wait. */
const unknownHost = byKind(
	{
		download: retried(code('download_failed')),
		poll: retried(code('ENOTFOUND'), { resumed: true, retries: 0 }),
	},
	final(code('ENOTFOUND')),
);
const neverSent = (name: string) => retried(code(name), { resumed: true });

const TABLE: ReadonlyArray<[what: string, faults: readonly string[], rule: Rule]> = [
	['The service refuses the request with a documented code', documented(401, 403), final(codeOf)],
	[
		'The service refuses a parameter or the content (400)',
		documented(400),
		byKind({ poll: doubted(codeOf) }, final(codeOf)),
	],
	[
		'413, for which the document names no code',
		documented(413),
		byKind({ poll: doubted(codeOf) }, final(codeOf)),
	],
	[
		'Task not found (404)',
		inEveryFormat('task-not-found'),
		byKind({ poll: lagging(codeOf) }, final(codeOf)),
	],
	['Model not found (404)', inEveryFormat('model-not-found'), final(codeOf)],
	[
		'403 or 404 with an HTML page, plain text or an empty body',
		withoutCode(403, 404),
		byKind({ download: notThereYet(downloadRefused) }, foreign(codeOf)),
	],
	[
		'400 or 413 with an HTML page, plain text or an empty body',
		withoutCode(400, 413),
		unlessDownload(foreign(codeOf)),
	],
	[
		'401 with an HTML page, plain text or an empty body (a URL of the service that asks for the key gets it)',
		[...withoutCode(401), 'echo-key-text'],
		byKind({ download: refusedWithKey }, foreign(codeOf)),
	],
	[
		'Undocumented status: 402, 405, 409, 422, 451',
		withEndings(['status-'], '402', '405', '409', '422', '451'),
		foreign(codeOf),
	],
	[
		'The error contains the API key',
		withEndings(['echo-key-'], 'general', 'alternate'),
		final(code('invalid_api_key', 401)),
	],
	[
		'429 with the time to retry',
		[
			...documented(429),
			...withEndings(['retry-after-'], 'header', 'date', 'skewed', 'reset', 'fraction'),
		],
		retried(limited, { retryAfter, limited: true }),
	],
	[
		'429 without a valid time to retry',
		[
			...withoutCode(429),
			...withEndings(['retry-after-'], 'zero', 'negative', 'text', 'absent', 'garbage', 'past'),
		],
		retried(limited, { limited: true }),
	],
	[
		'429 that asks to retry after a year',
		['retry-after-year'],
		// The item fails at once, but tasks are still polled.
		byKind({ poll: retried(limited, { retries: 0 }) }, final(limited)),
	],
	["500 or 502 in one of the service's error formats", documented(500, 502), retried(codeOf)],
	[
		'500 or 502 in any other format: the service may have accepted the request',
		[
			...withEndings(['handled-html-', 'handled-empty-', 'handled-foreign-'], '500', '502'),
			...withoutCode(500, 502),
			'echo-key-html',
		],
		lost(codeOf),
	],
	[
		'503 in any format',
		[...documented(503), ...withoutCode(503)],
		retried(codeOf, { limited: true }),
	],
	['503 without a code, more than 10 seconds after the request', ['late-503'], lost(codeOf)],
	[
		"529 in one of the service's error formats: an overload",
		withEndings(['status-'], '529'),
		retried(codeOf, { limited: true }),
	],
	[
		'408, 504 or 52x in any format: a server timed out waiting for another',
		[...withEndings(['status-'], '408', '504'), ...withoutCode(408, 504, 522)],
		lost(codeOf),
	],
	['Connection refused', ['refused-connection'], neverSent('ECONNREFUSED')],
	['Unknown host name', ['unknown-host'], unknownHost],
	['Temporary DNS failure', ['lookup-failure'], neverSent('EAI_AGAIN')],
	[
		'No TLS at an https:// URL',
		['not-tls'],
		unlessInterrupted(final(code('ERR_SSL_WRONG_VERSION_NUMBER'))),
	],
	['Untrusted certificate', ['untrusted-certificate'], final(code('DEPTH_ZERO_SELF_SIGNED_CERT'))],
	[
		'The connection breaks before or during the response',
		['lost', 'reset', 'reset-inside', 'truncated', 'stream-reset'],
		lost(code('connection_lost')),
	],
	[
		'No data for longer than Timeout, before or during the response',
		['hang', 'hang-inside', 'stream-hang'],
		silent,
	],
	['Damaged compressed response', ['bad-gzip'], lost(code('damaged_answer'))],
	[
		'Compressed response that ends too early',
		['cut-gzip'],
		// n8n's helper downloads, and does not notice. It asks for videos that are not compressed.
		byKind({ download: good }, lost(code('damaged_answer'))),
	],
	['200 with an HTML page or plain text', ['html-200', 'text-200'], unlessDownload(malformed())],
	[
		'200 or 204 without a body',
		['empty-200', 'empty-204', 'stream-empty'],
		unlessInterrupted(malformed()),
	],
	['200 with JSON that is damaged', ['json-invalid'], malformed()],
	[
		'200 with JSON that does not match the interface, or is nested more deeply than any response',
		[
			...withEndings(['json-'], 'null', 'number', 'string', 'array', 'object', 'deep'),
			'no-choices',
		],
		notUnderstood(),
	],
	[
		'200 with JSON that does not match the interface, but has an ID',
		['json-other', 'no-tasks', 'no-task-ids'],
		byKind(
			{ submit: followed((fault) => (fault === 'json-other' ? /^7$/ : /^video-/)) },
			notUnderstood(),
		),
	],
	['200 with an error in the body', ['json-error'], notUnderstood(code('oops', 200))],
	[
		'Half a response with a matching Content-Length',
		['cut-short'],
		byKind({ download: good }, malformed()),
	],
	[
		'Redirect to another host',
		withEndings(['redirect-'], '301', '302', '307', '308'),
		unlessInterrupted(foreign(redirected)),
	],
	[
		'Redirect to the result of a request that may have been accepted (303)',
		['redirect-303'],
		unlessInterrupted(ifBillable(lost(redirected), foreign(redirected))),
	],
	[
		'Redirect on the same host',
		['redirect-here'],
		byKind(
			{
				download: () => ({
					// The other path does not exist, which is tried again.
					once: { code: undefined, pauses: [0, 0.5] },
					always: { code: 'download_failed', pauses: { atLeast: 0 } },
				}),
			},
			foreign(code('redirect_refused', 302)),
		),
	],
	[
		'Very large response',
		['oversized', 'gzip-bomb', 'models-huge'],
		// An answer is paid for.
		byKind({ models: malformed() }, good),
	],
	[
		'Valid response that is slow, fragmented or has unusual headers',
		[
			...['slow-response', 'slow-drip', 'close-after', 'unknown-encoding'],
			...['wrong-type', 'no-type', 'no-length', 'created'],
		],
		good,
	],
	[
		'Completion without usage or content, or with filtered content',
		['no-usage', 'null-content', 'output-filtered'],
		good,
	],
	['Completion as an event stream that was not requested', ['stream-unrequested'], good],
	[
		'List of models in another format, or empty',
		['models-bare', 'models-named', 'models-strings', 'models-empty'],
		good,
	],
	['Stream that ends early', ['stream-cut', 'stream-html'], lost(code('stream_broken'))],
	[
		'Stream with invalid chunks or none',
		['stream-only-done', 'stream-long-line', 'stream-garbage'],
		malformed(),
	],
	[
		'Error inside a stream',
		['stream-error-general', 'stream-error-alternate', 'stream-echo-key'],
		malformed((fault) => [
			fault === 'stream-echo-key' ? 'invalid_api_key' : 'service_unavailable',
			200,
		]),
	],
	[
		'Valid stream in an unusual format',
		[
			...withEndings(['stream-no-'], 'done', 'reason', 'blank', 'space'),
			...withEndings(['stream-'], 'slow', 'crlf', 'comments', 'bom', 'split', 'joined', 'unended'),
			'stream-wrong-shape',
		],
		good,
	],
	[
		'Streamed tool calls that repeat their name, or have an ID only in the first delta',
		['tool-name-repeated', 'tool-id-emptied'],
		good,
	],
	[
		'Video task that fails',
		withEndings(
			['task-failed-'],
			...['string', 'object', 'nested', 'array', 'number', 'null', 'empty', 'absent', 'long'],
			'echo-key',
		),
		final((fault) => [
			fault === 'task-failed-echo-key'
				? 'upstream_refused'
				: /object|nested|array/.test(fault)
					? 'generation_failed'
					: 'task_failed',
		]),
	],
	[
		'Video task that never ends or has an unknown status',
		['task-endless', 'task-queued', 'task-odd-status'],
		final(code('wait_timeout')),
	],
	['Video task that disappears', ['task-forgotten'], final(code('task_not_found', 404))],
	['Video task that is not found at first', ['not-found-yet'], good],
	[
		'Finished task without a usable video',
		[
			...withEndings(['task-url-'], 'null', 'absent', 'relative', 'file', 'private'),
			'task-bad-base64',
		],
		good,
	],
	['Video task with few fields or invalid values', ['task-bare', 'task-odd-progress'], good],
];

export const ROWS: readonly Row[] = TABLE.map(([what, faults, rule]) => ({ what, faults, rule }));

/** Faults that are too slow for the table and have tests of their own. */
const TESTED_ELSEWHERE = ['stream-endless'];

const kinds = new Map<string, readonly RequestKind[]>([
	...FAULTS.map(
		({ name, endpoints }) =>
			[name, REQUEST_KINDS.filter((kind) => endpoints.includes(endpointOf(kind)))] as const,
	),
	...CONNECTION_FAULTS.map(({ name, kinds }) => [name, kinds] as const),
]);

/** Faults without a row. */
export const UNLISTED_FAULTS = [...kinds.keys()].filter(
	(name) => !TESTED_ELSEWHERE.includes(name) && !ROWS.some(({ faults }) => faults.includes(name)),
);

const kindsOf = (fault: string) => {
	const known = kinds.get(fault);
	if (known === undefined) throw new Error(`There is no fault ${fault}`);
	return known;
};

/** The tests of a row: each fault with each kind of request that it can affect. */
export function casesOf({ faults, rule }: Row): Case[] {
	return faults.flatMap((fault) =>
		kindsOf(fault).map((kind) => ({ fault, kind, ...rule(kind, fault) })),
	);
}
