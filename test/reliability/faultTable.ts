import { FAULTS } from '../../simulator';
import {
	byWay,
	type Course,
	final,
	good,
	lost,
	nonsense,
	retried,
	type Rule,
	silent,
} from './expected';
import { endpointOf, type Way } from './ways';

export interface Case extends Course {
	fault: string;
	what: string;
	way: Way;
}

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

/** Seconds that the service asks to wait, where it does. What is no time to come counts as silence on the matter. */
const ASKED: Record<string, number> = {
	'rate-limit': 1,
	'rate-limit-general': 1,
	'rate-limit-alternate': 1,
	'retry-after-fraction': 0.5,
	'retry-after-header': 1,
	'retry-after-date': 2,
	'retry-after-skewed': 2,
	'retry-after-reset': 2,
};

const refused = (asked?: number) =>
	retried('rate_limit_exceeded', { status: 429, asked, limited: true });

function statusRule(name: string): Rule | undefined {
	const key = name.replace(/-(general|alternate)$/, '').replace(/^(html|text|empty)-/, '');
	const [code, status] = STATUSES[key] ?? [];
	if (code === undefined || status === undefined) return undefined;
	if (status === 429) return refused(ASKED[name]);
	if (TRANSIENT.includes(status)) return retried(code, { status, limited: status === 503 });
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
	'status-408': lost('status_408', { status: 408 }),
	'status-409': final('status_409', 409),
	'status-422': final('status_422', 422),
	'status-451': final('status_451', 451),
	'status-504': lost('status_504', { status: 504 }),
	'status-529': lost('status_529', { status: 529 }),
	// Longer than a workflow waits: the item fails at once, but a task that is waited for is polled as before.
	'retry-after-year': byWay(
		{ poll: retried('rate_limit_exceeded', { retries: 0 }) },
		final('rate_limit_exceeded', 429),
	),
	refuse: lost('connection_lost'),
	lost: lost('connection_lost'),
	'reset-inside': lost('connection_lost'),
	hang: silent,
	'hang-inside': silent,
	'stream-hang': silent,
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
				once: { code: 'download_refused', pauses: [0] },
				always: { code: 'download_failed', pauses: { atLeast: 0 } },
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
	'echo-key-html': retried('internal_server_error', { status: 500 }),
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
	'task-odd-status': final('wait_timeout'),
};

/** Every other fault leaves a good answer: late, in odd pieces, in another shape that is allowed. */
const HARMLESS =
	/^(slow-|close-after|unknown-encoding|wrong-type|no-type|no-length|created|no-usage|null-content|output-filtered|models-|stream-(no-|slow|crlf|comments|bom|split|joined|unended)|task-(url-|bad-base64|bare|odd-progress))/;

function ruleFor(fault: string): Rule {
	const rule = RULES[fault] ?? statusRule(fault);
	if (rule !== undefined) return rule;
	if (fault.startsWith('retry-after-')) return refused(ASKED[fault]);
	if (HARMLESS.test(fault)) return good;
	throw new Error(`No rule for the fault ${fault}`);
}

/** A stream without an end is cut off at its limit, which takes longer than a table allows; the others need a run of their own. */
const ELSEWHERE = /^(stream-endless|handled-|late-503|not-found-yet|stream-unasked|tool-)/;

/** Every fault of the simulator on one way to the service. */
export function casesOf(way: Way): Case[] {
	return FAULTS.filter(({ name, on }) => on.includes(endpointOf(way)) && !ELSEWHERE.test(name)).map(
		({ name, what }) => ({ fault: name, what, way, ...ruleFor(name)(way) }),
	);
}
