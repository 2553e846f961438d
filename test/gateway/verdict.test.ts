import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoResponseError } from '../../gateway';
import type { ToldByResponse } from '../../gateway/errors/gatewayError';
import { type FailedAttempt, judge, pauseAfter, type Verdict } from '../../gateway/limits/verdict';
import { serviceError } from './serviceError';

interface Refused extends Partial<ToldByResponse> {
	code?: string;
	retryAfterMs?: number;
}

const refusal = (status: number, { code = 'refused', retryAfterMs, ...told }: Refused = {}) =>
	serviceError(status, told, { code, ...(retryAfterMs !== undefined && { retryAfterMs }) });

const lost = new NoResponseError({ message: 'Lost', advice: '', code: 'connection_lost' });
const final = { mayBeSentAgain: false };

const works = {
	limitsInFlight: false,
	isAway: false,
	inVain: 0,
	refusesForMs: 0,
	lastRefusedForMs: 0,
};

/** A billable request of a scope that works, refused for the first time. */
const usual: FailedAttempt = {
	error: refusal(429, { retryAfterMs: 1_000 }),
	mayBeSentAgain: true,
	maxRetries: 4,
	sent: 1,
	retries: 0,
	othersTaken: true,
	takenInRow: 0,
	scope: works,
};

const all = { isRetried: true, scopeAction: 'wait' } as const;
const alone = { isRetried: true, scopeAction: 'continue' } as const;
const fails = { isRetried: false };

test.each<[string, Partial<FailedAttempt>, Partial<Verdict>]>([
	['a refusal while others are taken', {}, { ...all, counts: false, pauseMs: 1_000 }],
	['a refusal before anything is taken', { othersTaken: false }, { ...all, counts: true }],
	['a refusal with all retries used up, while others are taken', { retries: 4 }, all],
	['the hundredth refusal while others are taken', { sent: 100 }, { ...all, counts: true }],
	['a refusal with Max Retries 0', { maxRetries: 0 }, { ...fails, scopeAction: 'wait' }],
	['a second refusal after others were taken', { takenInRow: 4 }, { ...alone, counts: true }],
	[
		'its last one, in a scope that was refused for 20 seconds',
		{ takenInRow: 4, retries: 3, scope: { ...works, lastRefusedForMs: 20_000 } },
		{ ...alone, pauseMs: 20_000 },
	],
	['a second refusal after few were taken', { takenInRow: 3 }, { ...all, counts: false }],
	[
		'a second refusal where what is in flight is limited',
		{ takenInRow: 4, scope: { ...works, limitsInFlight: true } },
		{ ...all, counts: false },
	],
	[
		'a refusal that forbids retries',
		{ error: refusal(429, { forbidsRetry: true }), ...final },
		{ ...fails, scopeAction: 'continue' },
	],
	[
		'a refusal whose service asks to send it again',
		{ error: refusal(409, { asksForRetry: true }) },
		{ ...fails, isRetried: true, scopeAction: 'continue' },
	],
	[
		'a quota that is used up',
		{ error: refusal(429, { readAs: 403 }), ...final },
		{ ...fails, scopeAction: 'continue' },
	],
	['overload', { error: refusal(503) }, { ...all, counts: true, pauseMs: 500 }],
	[
		'a tiny pause, after one pause in vain',
		{ error: refusal(429, { retryAfterMs: 1 }), scope: { ...works, inVain: 1 } },
		{ ...all, pauseMs: 250 },
	],
	[
		'overload, after two pauses in vain',
		{ error: refusal(503), scope: { ...works, inVain: 2 } },
		{ ...all, pauseMs: 1_000 },
	],
	[
		'a transient failure, after three pauses in vain',
		{ error: refusal(502), scope: { ...works, inVain: 3 } },
		{ ...alone, pauseMs: 500 },
	],
	[
		'the third refusal of a scope in a row',
		{ scope: { ...works, inVain: 3 } },
		{ ...all, pauseMs: 2_000 },
	],
	[
		'a refusal after five minutes of refusals',
		{ scope: { ...works, refusesForMs: 300_000 } },
		{ ...fails, scopeAction: 'suspend', pauseMs: 300_000 },
	],
	[
		'a pause of an hour',
		{ error: refusal(429, { retryAfterMs: 3_600_000 }) },
		{ ...fails, scopeAction: 'suspend', pauseMs: 3_600_000 },
	],
	[
		'a pause of five minutes',
		{ error: refusal(429, { retryAfterMs: 300_000 }) },
		{ ...all, pauseMs: 300_000 },
	],
	[
		'a pause of an hour, after which it must not be sent again',
		{ error: refusal(429, { retryAfterMs: 3_600_000, forbidsRetry: true }), ...final },
		{ ...fails, scopeAction: 'suspend' },
	],
	[
		'a transient failure that asks for an hour',
		{ error: refusal(502, { retryAfterMs: 3_600_000 }) },
		{ ...fails, scopeAction: 'continue' },
	],
	['a connection that was not made', { error: lost }, { ...alone, counts: true }],
	[
		'another one while nothing is answered',
		{ error: lost, scope: { ...works, isAway: true } },
		all,
	],
	['a request that may not be sent again', { error: lost, ...final }, fails],
	['a poll that nobody waits for', { error: lost, maxRetries: 0 }, fails],
	['a transient failure', { error: refusal(502) }, { ...alone, counts: true, pauseMs: 500 }],
	['a parameter that the service refuses', { error: refusal(400), ...final }, fails],
	[
		'a parameter that the service refuses, while it is away',
		{ error: refusal(400), ...final, scope: { ...works, isAway: true } },
		{ ...fails, scopeAction: 'continue' },
	],
])('%s', (_name, attempt, verdict) => {
	expect(judge({ ...usual, ...attempt }, () => 1)).toMatchObject(verdict);
});

describe('the table on the page of limits', () => {
	const page = readFileSync(join(__dirname, '../../gateway/limits/README.md'), 'utf8');
	const [, table = ''] = page.split(
		'what the service does | this request | the others of its scope |\n',
	);
	const [, ...rows] = table.split('\n\n')[0]!.split('\n');

	/** An attempt for each row, which the rows before it do not decide. */
	const attempts: Array<[string, Partial<FailedAttempt>]> = [
		['refuses it and asks', { error: refusal(429, { retryAfterMs: 300_001 }) }],
		['fails it for good', { error: refusal(400), ...final }],
		['gives no response, 500', { error: refusal(504) }],
		['refuses it again', { takenInRow: 4 }],
		['has taken nothing', { scope: { ...works, refusesForMs: 300_000 } }],
		['refuses it |', {}],
		['gives no response three', { error: lost, scope: { ...works, isAway: true } }],
	];

	test('has a row for each case', () => expect(rows).toHaveLength(attempts.length));

	test.each(attempts)('says what the code does: %s', (start, attempt) => {
		const [, , thisOne = '', others = ''] =
			rows.find((row) => row.startsWith(`| ${start}`))?.split(/ ?\| ?/) ?? [];
		const { isRetried, scopeAction } = judge({ ...usual, ...attempt }, () => 1);
		const waits = scopeAction === 'wait' ? /^waits with the others/ : /^waits alone/;
		expect(thisOne).toMatch(isRetried ? waits : /^fails/);
		expect(others).toMatch({ continue: /^go on/, wait: /^wait/, suspend: /^fail;/ }[scopeAction]);
	});
});

test.each([
	['shortest', 0, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
	['longest', 1, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
])(
	'the pauses between retries grow, and none is zero, when jitter makes them %s',
	(_, chance, pauses) => {
		const found = pauses.map((_pause, attempt) => pauseAfter(lost, attempt, () => chance));
		expect(found).toEqual(pauses);
	},
);
