import { FAULTS } from '../../simulator';
import { endpointOf, MAX_RETRIES, type Way } from './ways';

/** What the user shall get and the service shall receive. */
export interface Expected {
	/** The error's code; `undefined`: a good item. */
	code: string | undefined;
	status?: number;
	/** The error warns that the service may have accepted what is paid for. */
	mayBePaid?: boolean;
	/** Requests at the endpoint; undefined: several, as for a task that is waited for, or until redirects go in circles. */
	requests: number | undefined;
}

export interface Case {
	fault: string;
	what: string;
	way: Way;
	/** The fault strikes one request, and then every request. */
	once: Expected;
	always: Expected;
}

type Rule = (way: Way) => Pick<Case, 'once' | 'always'>;

const PAID: readonly Way[] = ['chat', 'chatStream', 'submit'];
const isPaid = (way: Way) => PAID.includes(way);
const GOOD = { code: undefined, requests: 1 } satisfies Expected;
const both = (expected: Expected) => ({ once: expected, always: expected });

const good: Rule = () => both(GOOD);

/** Nothing that comes later can help: sent once, and the error says why. */
const final =
	(code: string, status?: number): Rule =>
	() =>
		both({ code, ...(status !== undefined && { status }), requests: 1 });

/** "Statuses 429, 500, 502, 503 are transient; clients retry" (Errors). A waited-for task survives any number. */
const retried =
	(code: string, status?: number): Rule =>
	(way) => {
		const details = status === undefined || way === 'download' ? {} : { status };
		if (way === 'poll') return waitedOut();
		return {
			once: { code: undefined, requests: 2 },
			always: {
				code: way === 'download' && status !== undefined ? 'download_refused' : code,
				...details,
				requests: 1 + MAX_RETRIES,
			},
		};
	};

function waitedOut(): Pick<Case, 'once' | 'always'> {
	return {
		once: { code: undefined, requests: undefined },
		always: { code: 'wait_timeout', requests: undefined },
	};
}

/** Nobody knows what became of the request: what is paid is never sent again, anything else is. */
const lost =
	(code: string, status?: number): Rule =>
	(way) => {
		const known = status === undefined ? {} : { status };
		if (isPaid(way)) return both({ code, ...known, mayBePaid: true, requests: 1 });
		if (way === 'download') return retried('download_failed')(way);
		return retried(code, status)(way);
	};

/** A success that is none: what is paid may have been charged; a waited-for task survives a few of them. */
const nonsense =
	(code = 'malformed_answer', status?: number): Rule =>
	(way) => {
		const failure = { code, ...(status !== undefined && { status }) };
		if (isPaid(way)) return both({ ...failure, mayBePaid: true, requests: 1 });
		if (way !== 'poll') return both({ ...failure, requests: 1 });
		return {
			once: { code: undefined, requests: undefined },
			always: { ...failure, requests: 5 },
		};
	};

const byWay =
	(rules: Partial<Record<Way, Rule>>, otherwise: Rule): Rule =>
	(way) =>
		(rules[way] ?? otherwise)(way);

/** The document's statuses and codes, and ours where it gives none. */
const STATUSES: Record<string, [code: string, status: number]> = {
	'invalid-request': ['invalid_request_error', 400],
	'content-filtered': ['content_filtered', 400],
	'invalid-api-key': ['invalid_api_key', 401],
	'quota-not-enough': ['quota_not_enough', 403],
	'model-not-found': ['model_not_found', 404],
	'task-not-found': ['task_not_found', 404],
	'payload-too-large': ['payload_too_large', 413],
	'rate-limit': ['rate_limit_exceeded', 429],
	'internal-error': ['internal_server_error', 500],
	'bad-gateway': ['bad_gateway', 502],
	unavailable: ['service_unavailable', 503],
	'400': ['invalid_request_error', 400],
	'401': ['invalid_api_key', 401],
	'403': ['forbidden', 403],
	'404': ['not_found', 404],
	'413': ['payload_too_large', 413],
	'429': ['rate_limit_exceeded', 429],
	'500': ['internal_server_error', 500],
	'502': ['bad_gateway', 502],
	'503': ['service_unavailable', 503],
};
const TRANSIENT = [429, 500, 502, 503];

function statusRule(name: string): Rule | undefined {
	const key = name.replace(/-(general|alternate)$/, '').replace(/^(html|text|empty)-/, '');
	const [code, status] = STATUSES[key] ?? [];
	if (code === undefined || status === undefined) return undefined;
	if (TRANSIENT.includes(status)) return retried(code, status);
	return byWay({ download: final('download_refused') }, final(code, status));
}

const redirect = (status: number) =>
	byWay({ download: retried('download_failed') }, final('redirect_refused', status));
/** Bytes that never end as a line are no event stream. */
const veryLarge = byWay({ chatStream: nonsense() }, good);
const page = byWay({ download: final('download_refused') }, nonsense());
const taskFailed = (code = 'task_failed') => final(code);

const RULES: Record<string, Rule> = {
	'status-402': final('status_402', 402),
	'status-405': final('status_405', 405),
	'status-408': lost('status_408', 408),
	'status-409': final('status_409', 409),
	'status-422': final('status_422', 422),
	'status-451': final('status_451', 451),
	'status-504': lost('status_504', 504),
	'status-529': lost('status_529', 529),
	'retry-after-year': byWay(
		{
			poll: () => ({
				once: { code: undefined, requests: 2 },
				always: { code: 'wait_timeout', requests: 1 },
			}),
		},
		final('rate_limit_exceeded', 429),
	),
	refuse: lost('connection_lost'),
	lost: lost('connection_lost'),
	'reset-inside': lost('connection_lost'),
	hang: lost('timeout'),
	'hang-inside': lost('timeout'),
	'stream-hang': lost('timeout'),
	'stream-reset': lost('connection_lost'),
	truncated: lost('connection_lost'),
	'bad-gzip': lost('damaged_answer'),
	'cut-gzip': lost('damaged_answer'),
	'cut-short': byWay({ download: good }, nonsense()),
	oversized: veryLarge,
	'gzip-bomb': veryLarge,
	'redirect-here': byWay(
		{
			download: () => ({
				once: { code: 'download_refused', requests: 2 },
				always: { code: 'download_failed', requests: undefined },
			}),
		},
		final('redirect_refused', 302),
	),
	...Object.fromEntries(
		[301, 302, 303, 307, 308].map((status) => [`redirect-${status}`, redirect(status)]),
	),
	'html-200': page,
	'text-200': page,
	'empty-200': byWay(
		{ download: retried('download_failed'), chatStream: lost('stream_broken') },
		page,
	),
	'empty-204': byWay({ chatStream: lost('stream_broken') }, nonsense()),
	...Object.fromEntries(
		['invalid', 'null', 'number', 'string', 'array', 'object', 'other', 'deep'].map((kind) => [
			`json-${kind}`,
			nonsense(),
		]),
	),
	'json-error': nonsense('oops', 200),
	'echo-key-general': final('invalid_api_key', 401),
	'echo-key-alternate': final('invalid_api_key', 401),
	'echo-key-text': final('invalid_api_key', 401),
	'echo-key-html': retried('internal_server_error', 500),
	'no-choices': nonsense(),
	'no-tasks': nonsense(),
	'no-task-ids': nonsense(),
	'stream-cut': lost('stream_broken'),
	'stream-empty': lost('stream_broken'),
	'stream-html': lost('stream_broken'),
	'stream-only-done': nonsense(),
	'stream-long-line': nonsense(),
	'stream-garbage': nonsense(),
	'stream-nonsense': nonsense(),
	'stream-error-general': nonsense('service_unavailable', 200),
	'stream-error-alternate': nonsense('service_unavailable', 200),
	'stream-echo-key': nonsense('invalid_api_key', 200),
	'task-failed-string': taskFailed(),
	'task-failed-object': taskFailed('generation_failed'),
	'task-failed-nested': taskFailed(),
	'task-failed-array': taskFailed(),
	'task-failed-number': taskFailed(),
	'task-failed-null': taskFailed(),
	'task-failed-empty': taskFailed(),
	'task-failed-absent': taskFailed(),
	'task-failed-long': taskFailed(),
	'task-failed-echo-key': taskFailed('upstream_refused'),
	'task-endless': final('wait_timeout'),
	'task-queued': final('wait_timeout'),
	'task-forgotten': final('task_not_found', 404),
	'task-odd-status': final('malformed_answer'),
};

/** Every other fault leaves a good answer: late, in odd pieces, in another shape that is allowed. */
const HARMLESS =
	/^(slow-|close-after|unknown-encoding|wrong-type|no-type|no-length|created|no-usage|null-content|output-filtered|models-|stream-(no-|slow|crlf|comments|bom|split|joined|unended)|task-(url-|bad-base64|bare|odd-progress))/;

function ruleFor(fault: string): Rule {
	const rule = RULES[fault] ?? statusRule(fault);
	if (rule !== undefined) return rule;
	if (fault.startsWith('retry-after-')) return retried('rate_limit_exceeded', 429);
	if (HARMLESS.test(fault)) return good;
	throw new Error(`No rule for the fault ${fault}`);
}

/** A stream without an end is cut off at its limit, which takes longer than a table allows; it has a test of its own. */
const ELSEWHERE = ['stream-endless'];

/** Every fault of the simulator on one way to the service. */
export function casesOf(way: Way): Case[] {
	return FAULTS.filter(
		({ name, on }) => on.includes(endpointOf(way)) && !ELSEWHERE.includes(name),
	).map(({ name, what }) => ({ fault: name, what, way, ...ruleFor(name)(way) }));
}
