import { FAULTS } from '../../simulator';
import { REFUSALS } from '../../simulator/faults/statuses';
import { CONNECTION_FAULTS } from './connectionFaults';
import {
	byKind,
	type Expectations,
	final,
	foreign,
	good,
	ifBillable,
	lagging,
	lost,
	malformed,
	notThereYet,
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
const unlessDownload = (rule: Rule) => byKind({ download: final(downloadRefused) }, rule);
/** An unknown host is not retried, but a task is still polled until Max Wait. */
const unknownHost = byKind(
	{
		download: retried(code('download_failed')),
		poll: retried(code('ENOTFOUND'), { resumed: true, retries: 0 }),
	},
	final(code('ENOTFOUND')),
);
const neverSent = (name: string) => retried(code(name), { resumed: true });

export const ROWS: readonly Row[] = [
	{
		what: 'The service refuses the request with a documented code',
		faults: documented(400, 401, 403, 413),
		rule: final(codeOf),
	},
	{
		what: 'Model, task or endpoint not found (404)',
		faults: documented(404),
		rule: byKind({ poll: lagging(codeOf) }, final(codeOf)),
	},
	{
		what: '403 or 404 with an HTML page, plain text or an empty body',
		faults: withoutCode(403, 404),
		rule: byKind({ download: notThereYet(downloadRefused) }, foreign(codeOf)),
	},
	{
		what: '400, 401 or 413 with an HTML page, plain text or an empty body',
		faults: [...withoutCode(400, 401, 413), 'echo-key-text'],
		rule: unlessDownload(foreign(codeOf)),
	},
	{
		what: 'Undocumented status: 402, 405, 409, 422, 451',
		faults: withEndings(['status-'], '402', '405', '409', '422', '451'),
		rule: foreign(codeOf),
	},
	{
		what: 'The error contains the API key',
		faults: withEndings(['echo-key-'], 'general', 'alternate'),
		rule: final(code('invalid_api_key', 401)),
	},
	{
		what: '429 with the time to retry',
		faults: [
			...documented(429),
			...withEndings(['retry-after-'], 'header', 'date', 'skewed', 'reset', 'fraction'),
		],
		rule: retried(limited, { retryAfter, limited: true }),
	},
	{
		what: '429 without a valid time to retry',
		faults: [
			...withoutCode(429),
			...withEndings(['retry-after-'], 'zero', 'negative', 'text', 'absent', 'garbage', 'past'),
		],
		rule: retried(limited, { limited: true }),
	},
	{
		what: '429 that asks to retry after a year',
		faults: ['retry-after-year'],
		// The item fails at once, but tasks are still polled.
		rule: byKind({ poll: retried(limited, { retries: 0 }) }, final(limited)),
	},
	{
		what: "500 or 502 in one of the service's error formats",
		faults: documented(500, 502),
		rule: retried(codeOf),
	},
	{
		what: '500 or 502 in any other format: the service may have accepted the request',
		faults: [
			...withEndings(['handled-html-', 'handled-empty-', 'handled-foreign-'], '500', '502'),
			...withoutCode(500, 502),
			'echo-key-html',
		],
		rule: lost(codeOf),
	},
	{
		what: '503 in any format',
		faults: [...documented(503), ...withoutCode(503)],
		rule: retried(codeOf, { limited: true }),
	},
	{
		what: '503 without a code, more than 10 seconds after the request',
		faults: ['late-503'],
		rule: lost(codeOf),
	},
	{
		what: '408, 504 or 52x in any format: a server timed out waiting for another',
		faults: [...withEndings(['status-'], '408', '504', '529'), ...withoutCode(408, 504, 522)],
		rule: lost(codeOf),
	},
	{
		what: 'Connection refused',
		faults: ['refused-connection'],
		rule: neverSent('ECONNREFUSED'),
	},
	{
		what: 'Unknown host name',
		faults: ['unknown-host'],
		rule: unknownHost,
	},
	{
		what: 'Temporary DNS failure',
		faults: ['lookup-failure'],
		rule: neverSent('EAI_AGAIN'),
	},
	{
		what: 'No TLS at an https:// URL',
		faults: ['not-tls'],
		rule: byKind(
			{ download: retried(code('download_failed')) },
			final(code('ERR_SSL_WRONG_VERSION_NUMBER')),
		),
	},
	{
		what: 'Untrusted certificate',
		faults: ['untrusted-certificate'],
		rule: final(code('DEPTH_ZERO_SELF_SIGNED_CERT')),
	},
	{
		what: 'The connection breaks before or during the response',
		faults: ['lost', 'reset', 'reset-inside', 'truncated', 'stream-reset'],
		rule: lost(code('connection_lost')),
	},
	{
		what: 'No data for longer than Timeout, before or during the response',
		faults: ['hang', 'hang-inside', 'stream-hang'],
		rule: silent,
	},
	{
		what: 'Damaged compressed response',
		faults: ['bad-gzip'],
		rule: lost(code('damaged_answer')),
	},
	{
		what: 'Compressed response that ends too early',
		faults: ['cut-gzip'],
		// n8n's helper downloads, and does not notice. It asks for videos that are not compressed.
		rule: byKind({ download: good }, lost(code('damaged_answer'))),
	},
	{
		what: '200 with an HTML page or plain text',
		faults: ['html-200', 'text-200'],
		rule: unlessDownload(malformed()),
	},
	{
		what: '200 or 204 without a body',
		faults: ['empty-200', 'empty-204', 'stream-empty'],
		rule: byKind({ download: retried(code('download_failed')) }, malformed()),
	},
	{
		what: '200 with JSON that does not match the interface',
		faults: [
			...withEndings(
				['json-'],
				'invalid',
				'null',
				'number',
				'string',
				'array',
				'object',
				'other',
				'deep',
			),
			'no-choices',
			'no-tasks',
			'no-task-ids',
		],
		rule: malformed(),
	},
	{
		what: '200 with an error in the body',
		faults: ['json-error'],
		rule: malformed(code('oops', 200)),
	},
	{
		what: 'Half a response with a matching Content-Length',
		faults: ['cut-short'],
		rule: byKind({ download: good }, malformed()),
	},
	{
		what: 'Redirect to another host',
		faults: withEndings(['redirect-'], '301', '302', '307', '308'),
		rule: byKind({ download: retried(code('download_failed')) }, foreign(redirected)),
	},
	{
		what: 'Redirect to the result of a request that may have been accepted (303)',
		faults: ['redirect-303'],
		rule: byKind(
			{ download: retried(code('download_failed')) },
			ifBillable(lost(redirected), foreign(redirected)),
		),
	},
	{
		what: 'Redirect on the same host',
		faults: ['redirect-here'],
		rule: byKind(
			{
				download: () => ({
					// The other path does not exist, which is tried again.
					once: { code: undefined, pauses: [0, 0.5] },
					always: { code: 'download_failed', pauses: { atLeast: 0 } },
				}),
			},
			foreign(code('redirect_refused', 302)),
		),
	},
	{
		what: 'Very large response',
		faults: ['oversized', 'gzip-bomb', 'models-huge'],
		// An answer is paid for, but a line of a stream may not be this long.
		rule: byKind({ chat: good, download: good }, malformed()),
	},
	{
		what: 'Valid response that is slow, fragmented or has unusual headers',
		faults: [
			...['slow-response', 'slow-drip', 'close-after', 'unknown-encoding'],
			...['wrong-type', 'no-type', 'no-length', 'created'],
		],
		rule: good,
	},
	{
		what: 'Completion without usage or content, or with filtered content',
		faults: ['no-usage', 'null-content', 'output-filtered'],
		rule: good,
	},
	{
		what: 'Completion as an event stream that was not requested',
		faults: ['stream-unrequested'],
		rule: good,
	},
	{
		what: 'List of models in another format, or empty',
		faults: ['models-bare', 'models-named', 'models-strings', 'models-empty'],
		rule: good,
	},
	{
		what: 'Stream that ends early',
		faults: ['stream-cut', 'stream-html'],
		rule: lost(code('stream_broken')),
	},
	{
		what: 'Stream with invalid chunks or none',
		faults: ['stream-only-done', 'stream-long-line', 'stream-garbage', 'stream-wrong-shape'],
		rule: malformed(),
	},
	{
		what: 'Error inside a stream',
		faults: ['stream-error-general', 'stream-error-alternate', 'stream-echo-key'],
		rule: malformed((fault) => [
			fault === 'stream-echo-key' ? 'invalid_api_key' : 'service_unavailable',
			200,
		]),
	},
	{
		what: 'Valid stream in an unusual format',
		faults: [
			...withEndings(['stream-no-'], 'done', 'reason', 'blank', 'space'),
			...withEndings(['stream-'], 'slow', 'crlf', 'comments', 'bom', 'split', 'joined', 'unended'),
		],
		rule: good,
	},
	{
		what: 'Streamed tool calls that repeat their name, or have an ID only in the first delta',
		faults: ['tool-name-repeated', 'tool-id-emptied'],
		rule: good,
	},
	{
		what: 'Video task that fails',
		faults: withEndings(
			['task-failed-'],
			...['string', 'object', 'nested', 'array', 'number', 'null', 'empty', 'absent', 'long'],
			'echo-key',
		),
		rule: final((fault) => [
			{ 'task-failed-object': 'generation_failed', 'task-failed-echo-key': 'upstream_refused' }[
				fault
			] ?? 'task_failed',
		]),
	},
	{
		what: 'Video task that never ends or has an unknown status',
		faults: ['task-endless', 'task-queued', 'task-odd-status'],
		rule: final(code('wait_timeout')),
	},
	{
		what: 'Video task that disappears',
		faults: ['task-forgotten'],
		rule: final(code('task_not_found', 404)),
	},
	{
		what: 'Video task that is not found at first',
		faults: ['not-found-yet'],
		rule: good,
	},
	{
		what: 'Finished task without a usable video',
		faults: [
			...withEndings(['task-url-'], 'null', 'absent', 'relative', 'file', 'private'),
			'task-bad-base64',
		],
		rule: good,
	},
	{
		what: 'Video task with few fields or invalid values',
		faults: ['task-bare', 'task-odd-progress'],
		rule: good,
	},
];

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

/** The kinds of requests that the faults of a row can affect. */
function kindsOfRow({ faults }: Row): RequestKind[] {
	return REQUEST_KINDS.filter((kind) => faults.some((fault) => kindsOf(fault).includes(kind)));
}

/** What may happen in a row: each fault with each kind of request that it can affect. */
export function possibleCasesOf(row: Row): Case[] {
	return row.faults.flatMap((fault) =>
		kindsOf(fault).map((kind) => ({ fault, kind, ...row.rule(kind, fault) })),
	);
}

/**
 * The tests of a row. Each fault is tested with one kind of request, and each kind with at least one fault. More is not
 * needed, because the meaning of a response hardly depends on the kind of request.
 */
export function casesOf(row: Row): Case[] {
	const assigned = new Map(kindsOfRow(row).map((kind) => [kind, [] as string[]]));
	const count = (kind: RequestKind) => assigned.get(kind)?.length ?? 0;
	for (const fault of row.faults) {
		const [leastUsed] = [...kindsOf(fault)].sort((one, other) => count(one) - count(other));
		if (leastUsed) assigned.get(leastUsed)?.push(fault);
	}
	return [...assigned].flatMap(([kind, faults], index) => {
		const possible = row.faults.filter((fault) => kindsOf(fault).includes(kind));
		const chosen = faults.length > 0 ? faults : possible.slice(index % possible.length).slice(0, 1);
		return chosen.map((fault) => ({ fault, kind, ...row.rule(kind, fault) }));
	});
}
