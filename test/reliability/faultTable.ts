import { FAULTS } from '../../simulator';
import { CONNECTION_FAULTS } from './connectionFaults';
import {
	byWay,
	type Course,
	final,
	good,
	lagging,
	lost,
	malformed,
	retried,
	type Rule,
	silent,
	type Told,
} from './expected';
import { isInBetween, statusOf } from './particulars';
import { endpointOf, type Way, WAYS } from './ways';

/** Faults that are one to the user: the same course on each way. */
export interface Row {
	what: string;
	faults: readonly string[];
	rule: Rule;
}

export interface Case extends Course {
	fault: string;
	way: Way;
}

const each = (names: readonly string[], ...endings: string[]) =>
	names.flatMap((name) => endings.map((ending) => `${name}${ending}`));
const inEveryShape = (...names: string[]) => each(names, '', '-general', '-alternate');
const withoutCode = (...statuses: number[]) =>
	each(['html-', 'text-', 'empty-'], ...statuses.map(String));
const code =
	(...told: ReturnType<Told>): Told =>
	() =>
		told;

/** The document's codes, and those that the simulator invents where it gives none. */
const CODES: Record<string, [code: string, status: number]> = {
	'invalid-request': ['invalid_request_error', 400],
	'content-filtered': ['content_filtered', 400],
	'invalid-api-key': ['invalid_api_key', 401],
	'quota-not-enough': ['quota_not_enough', 403],
	'model-not-found': ['model_not_found', 404],
	'task-not-found': ['task_not_found', 404],
	'payload-too-large': ['payload_too_large', 413],
	'internal-error': ['internal_server_error', 500],
	'bad-gateway': ['bad_gateway', 502],
	unavailable: ['service_unavailable', 503],
};
/** What stands in for a code where a response has none. */
const CODES_OF_STATUSES: Record<number, string> = {
	400: 'invalid_request_error',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
	413: 'payload_too_large',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};

/** HTTP's own names: an error from a server in between is no verdict of the service. */
const CODES_IN_BETWEEN: Record<number, string> = { 400: 'bad_request', 401: 'unauthorized' };

const codeOf: Told = (fault) => {
	const known = CODES[fault.replace(/-(general|alternate)$/, '')];
	if (known !== undefined) return known;
	const status = statusOf(fault);
	const inBetween = isInBetween(fault) ? CODES_IN_BETWEEN[status] : undefined;
	return [inBetween ?? CODES_OF_STATUSES[status] ?? `status_${status}`, status];
};

/** Seconds that the service asks to wait. */
const asked = (fault: string) => {
	if (fault.endsWith('fraction')) return 0.5;
	return /date|skewed|reset/.test(fault) ? 2 : 1;
};
const limited = code('rate_limit_exceeded', 429);

/** The file of a video comes from wherever the service put it: its errors are not the service's. */
const unlessDownload = (rule: Rule) => byWay({ download: final(code('download_refused')) }, rule);
/** A mistake in a URL is not retried, but a task is waited for all the same. */
const misspelt = byWay(
	{
		download: retried(code('download_failed')),
		poll: retried(code('ENOTFOUND'), { resumed: true, retries: 0 }),
	},
	final(code('ENOTFOUND')),
);
const neverSent = (name: string) => retried(code(name), { resumed: true });

export const ROWS: readonly Row[] = [
	{
		what: 'The service refuses the request, with one of its codes',
		faults: inEveryShape(
			'invalid-request',
			'content-filtered',
			'invalid-api-key',
			'quota-not-enough',
			'payload-too-large',
		),
		rule: final(codeOf),
	},
	{
		what: 'The service does not know the model or the task, or the endpoint (404)',
		faults: [...inEveryShape('model-not-found', 'task-not-found'), ...withoutCode(404)],
		rule: byWay({ poll: lagging(codeOf) }, unlessDownload(final(codeOf))),
	},
	{
		what: 'The same statuses without a code: an HTML page, plain text, nothing',
		faults: withoutCode(400, 401, 403, 413),
		rule: unlessDownload(final(codeOf)),
	},
	{
		what: 'A status that the interface does not name: 402, 405, 409, 422, 451',
		faults: each(['status-'], '402', '405', '409', '422', '451'),
		rule: final(codeOf),
	},
	{
		what: 'The error repeats the API key',
		faults: each(['echo-key-'], 'general', 'alternate', 'text'),
		rule: final((fault) => [fault.endsWith('text') ? 'unauthorized' : 'invalid_api_key', 401]),
	},
	{
		what: '429 that says when to come back',
		faults: [
			...inEveryShape('rate-limit'),
			...each(['retry-after-'], 'header', 'date', 'skewed', 'reset', 'fraction'),
		],
		rule: retried(limited, { asked, limited: true }),
	},
	{
		what: '429 that does not say when, or nothing that makes sense',
		faults: [
			...withoutCode(429),
			...each(['retry-after-'], 'zero', 'negative', 'text', 'absent', 'garbage', 'past'),
		],
		rule: retried(limited, { limited: true }),
	},
	{
		what: '429 that asks to wait for a year',
		faults: ['retry-after-year'],
		// The item fails at once, but a task that is waited for is polled as before.
		rule: byWay({ poll: retried(limited, { retries: 0 }) }, final(limited)),
	},
	{
		what: "500 or 502 in one of the service's error shapes",
		faults: inEveryShape('internal-error', 'bad-gateway'),
		rule: retried(codeOf),
	},
	{
		what: '500 or 502 in any other form: the service may have done the work',
		faults: [
			...each(['handled-html-', 'handled-empty-', 'handled-foreign-'], '500', '502'),
			...withoutCode(500, 502),
			'echo-key-html',
		],
		rule: lost(codeOf),
	},
	{
		what: '503 in any shape',
		faults: [...inEveryShape('unavailable'), ...withoutCode(503)],
		rule: retried(codeOf, { limited: true }),
	},
	{
		what: '503 without a code, more than 10 seconds after the request',
		faults: ['late-503'],
		rule: lost(codeOf),
	},
	{
		what: '408, 504 or 529: a server gave up waiting for another',
		faults: each(['status-'], '408', '504', '529'),
		rule: lost(codeOf),
	},
	{
		what: 'Nobody listens at the port',
		faults: ['refused-connection'],
		rule: neverSent('ECONNREFUSED'),
	},
	{
		what: 'DNS does not know the host',
		faults: ['unknown-host'],
		rule: misspelt,
	},
	{
		what: 'DNS does not answer',
		faults: ['lookup-failure'],
		rule: neverSent('EAI_AGAIN'),
	},
	{
		what: 'No TLS at an https:// URL',
		faults: ['not-tls'],
		rule: byWay(
			{ download: retried(code('download_failed')) },
			final(code('ERR_SSL_WRONG_VERSION_NUMBER')),
		),
	},
	{
		what: 'A certificate that nobody vouches for',
		faults: ['untrusted-certificate'],
		rule: final(code('DEPTH_ZERO_SELF_SIGNED_CERT')),
	},
	{
		what: 'The connection breaks before or inside the response',
		faults: ['lost', 'reset', 'reset-inside', 'truncated', 'stream-reset'],
		rule: lost(code('connection_lost')),
	},
	{
		what: 'No response at all, or silence in the middle of it, for longer than Timeout',
		faults: ['hang', 'hang-inside', 'stream-hang'],
		rule: silent,
	},
	{
		what: 'A compressed response that is damaged',
		faults: ['bad-gzip', 'cut-gzip'],
		rule: lost(code('damaged_answer')),
	},
	{
		what: '200 with an HTML page or plain text',
		faults: ['html-200', 'text-200'],
		rule: unlessDownload(malformed()),
	},
	{
		what: '200 or 204 without a body',
		faults: ['empty-200', 'empty-204'],
		rule: byWay(
			{ chatStream: lost(code('stream_broken')), download: retried(code('download_failed')) },
			malformed(),
		),
	},
	{
		what: '200 with JSON that is no response of the interface',
		faults: [
			...each(['json-'], 'invalid', 'null', 'number', 'string', 'array', 'object', 'other', 'deep'),
			'no-choices',
			'no-tasks',
			'no-task-ids',
		],
		rule: malformed(),
	},
	{
		what: '200 with an error in it',
		faults: ['json-error'],
		rule: malformed(code('oops', 200)),
	},
	{
		what: 'Half a response that looks whole',
		faults: ['cut-short'],
		rule: byWay({ download: good }, malformed()),
	},
	{
		what: 'A redirect to another host',
		faults: each(['redirect-'], '301', '302', '303', '307', '308'),
		rule: byWay({ download: retried(code('download_failed')) }, (way, fault) =>
			final(code('redirect_refused', Number(fault.slice(-3))))(way, fault),
		),
	},
	{
		what: 'A redirect within the host',
		faults: ['redirect-here'],
		rule: byWay(
			{
				download: () => ({
					once: { code: 'download_refused', pauses: [0] },
					always: { code: 'download_failed', pauses: { atLeast: 0 } },
				}),
			},
			final(code('redirect_refused', 302)),
		),
	},
	{
		what: 'A very large response',
		faults: ['oversized', 'gzip-bomb'],
		// Bytes that never end as a line are no event stream.
		rule: byWay({ chatStream: malformed() }, good),
	},
	{
		what: 'A good response that comes late, in odd pieces or with odd headers',
		faults: [
			...['slow-response', 'slow-drip', 'close-after', 'unknown-encoding'],
			...['wrong-type', 'no-type', 'no-length', 'created'],
		],
		rule: good,
	},
	{
		what: 'A completion without usage or content, or that was filtered',
		faults: ['no-usage', 'null-content', 'output-filtered'],
		rule: good,
	},
	{
		what: 'A completion as an event stream that nobody asked for',
		faults: ['stream-unrequested'],
		rule: good,
	},
	{
		what: 'A list of models in another shape, empty or very long',
		faults: ['models-bare', 'models-named', 'models-strings', 'models-empty', 'models-huge'],
		rule: good,
	},
	{
		what: 'A stream that ends early',
		faults: ['stream-cut', 'stream-empty', 'stream-html'],
		rule: lost(code('stream_broken')),
	},
	{
		what: 'A stream with something else in it',
		faults: ['stream-only-done', 'stream-long-line', 'stream-garbage', 'stream-wrong-shape'],
		rule: malformed(),
	},
	{
		what: 'An error inside a stream',
		faults: ['stream-error-general', 'stream-error-alternate', 'stream-echo-key'],
		rule: malformed((fault) => [
			fault === 'stream-echo-key' ? 'invalid_api_key' : 'service_unavailable',
			200,
		]),
	},
	{
		what: 'A stream in an unusual form',
		faults: [
			...each(['stream-no-'], 'done', 'reason', 'blank', 'space'),
			...each(['stream-'], 'slow', 'crlf', 'comments', 'bom', 'split', 'joined', 'unended'),
		],
		rule: good,
	},
	{
		what: 'Tool calls that repeat their name, or have an id in their first delta alone',
		faults: ['tool-name-repeated', 'tool-id-emptied'],
		rule: good,
	},
	{
		what: 'The video task fails',
		faults: each(
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
		what: 'The video task never ends, or has a status that nobody knows',
		faults: ['task-endless', 'task-queued', 'task-odd-status'],
		rule: final(code('wait_timeout')),
	},
	{
		what: 'The service forgets the video task',
		faults: ['task-forgotten'],
		rule: final(code('task_not_found', 404)),
	},
	{
		what: 'Video task not found yet',
		faults: ['not-found-yet'],
		rule: good,
	},
	{
		what: 'A finished task without a video that can be fetched',
		faults: [
			...each(['task-url-'], 'null', 'absent', 'relative', 'file', 'private'),
			'task-bad-base64',
		],
		rule: good,
	},
	{
		what: 'A task with hardly any fields, or with odd values',
		faults: ['task-bare', 'task-odd-progress'],
		rule: good,
	},
];

/** A stream without an end is cut off at its limit, which takes longer than a table allows; it has a test of its own. */
const ELSEWHERE = ['stream-endless'];

const ways = new Map<string, readonly Way[]>([
	...FAULTS.map(
		({ name, endpoints }) =>
			[name, WAYS.filter((way) => endpoints.includes(endpointOf(way)))] as const,
	),
	...CONNECTION_FAULTS.map(({ name, ways }) => [name, ways] as const),
]);

/** Faults of no row. */
export const FORGOTTEN = [...ways.keys()].filter(
	(name) => !ELSEWHERE.includes(name) && !ROWS.some(({ faults }) => faults.includes(name)),
);

const waysOf = (fault: string) => {
	const known = ways.get(fault);
	if (known === undefined) throw new Error(`There is no fault ${fault}`);
	return known;
};

/** The ways that a row is about. */
export function waysOfRow({ faults }: Row): Way[] {
	return WAYS.filter((way) => faults.some((fault) => waysOf(fault).includes(way)));
}

/**
 * The tests of a row. Its faults are dealt out to its ways: each fault is played somewhere, each way gets at least one,
 * and no more is played than that, because what a response means does not depend on where it comes from.
 */
export function casesOf(row: Row): Case[] {
	const hands = new Map(waysOfRow(row).map((way) => [way, [] as string[]]));
	const size = (way: Way) => hands.get(way)?.length ?? 0;
	for (const fault of row.faults) {
		const [least] = [...waysOf(fault)].sort((one, other) => size(one) - size(other));
		if (least) hands.get(least)?.push(fault);
	}
	return [...hands].flatMap(([way, hand], index) => {
		const able = row.faults.filter((fault) => waysOf(fault).includes(way));
		const dealt = hand.length > 0 ? hand : able.slice(index % able.length).slice(0, 1);
		return dealt.map((fault) => ({ fault, way, ...row.rule(way, fault) }));
	});
}
