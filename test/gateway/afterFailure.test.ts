import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CancelledError, type GatewayError, NoResponseError } from '../../gateway';
import { afterFailure } from '../../gateway/errors/afterFailure';
import { malformedBody } from '../../gateway/errors/gatewayError';
import { serviceError } from './serviceError';

const networkError = (facts: { transient?: boolean; isNeverSent?: boolean } = {}) =>
	new NoResponseError({ message: 'No', advice: '', code: 'connection_lost', ...facts });
const inBetween = { isFromServerInBetween: true };

const decided = (error: GatewayError, more: object = {}) =>
	afterFailure({ error, isBillable: true, wasSent: true, isLastPoll: false, ...more });

describe('the table of billable requests', () => {
	const page = readFileSync(join(__dirname, '../../docs/reliability.md'), 'utf8');
	const [, table = ''] = page.split('| Sent again | May be billed |\n');
	const [, ...rows] = table.split('\n\n')[0]!.split('\n');

	/** Errors of each row. */
	const errors: Array<[start: string, GatewayError[]]> = [
		['No connection takes it', [networkError({ isNeverSent: true })]],
		['The connection breaks', [networkError(), malformedBody('No JSON', '<html>')]],
		[
			'A response with 2xx',
			[200, 303, 408, 425, 504, 520].flatMap((status) => [
				serviceError(status),
				serviceError(status, { readAs: 503 }),
			]),
		],
		[
			'500, 502 or 529 with a page',
			[500, 502, 529].map((status) => serviceError(status, inBetween)),
		],
		[
			'500, 502 or 503 with an error that',
			[500, 502, 503].map((status) => serviceError(status, { isAnswerLost: true })),
		],
		['503 without Retry-After', [serviceError(503, inBetween)]],
		[
			'Another 429 or 503',
			[429, 500, 502, 503]
				.map((status) => serviceError(status))
				.concat(serviceError(529, { readAs: 503 })),
		],
		['Any other error', [400, 401, 402, 403, 404, 409, 413].map((status) => serviceError(status))],
	];

	test('has a row for each case', () => expect(rows).toHaveLength(errors.length));

	test.each(errors)('says what the code does: %s', (start, ofRow) => {
		const [, , again = '', billed = ''] =
			rows.find((row) => row.startsWith(`| ${start}`))?.split(/ ?\| ?/) ?? [];
		for (const error of ofRow)
			expect(decided(error)).toEqual({
				mayBeSentAgain: /^yes/.test(again),
				mayBeAccepted: /^yes/.test(billed),
			});
	});
});

test.each<[string, GatewayError, object, boolean]>([
	['a poll that was lost', networkError(), { isBillable: false }, true],
	['a poll that a gateway refuses with 504', serviceError(504), { isBillable: false }, true],
	['what no retry helps', networkError({ transient: false, isNeverSent: true }), {}, false],
	['what was given up before it was sent', networkError(), { wasSent: false }, true],
	['what the service forbids to send again', serviceError(429, { forbidsRetry: true }), {}, false],
	['what the service asks to send again', serviceError(409, { asksForRetry: true }), {}, true],
	[
		'what it asks to send again after it may be done',
		serviceError(504, { asksForRetry: true }),
		{},
		false,
	],
	['a quota that is used up', serviceError(429, { readAs: 403 }), {}, false],
	['one that a 503 tells', serviceError(503, { readAs: 403 }), {}, false],
])('%s', (_what, error, request, mayBeSentAgain) => {
	expect(decided(error, request)).toMatchObject({ mayBeSentAgain });
});

test.each(['proxy_login', 'proxy_refused'] as const)(
	'a poll that no other follows is sent again after %s',
	(code) => {
		const refusal = { message: 'No', advice: '', code, transient: false, isNeverSent: true };
		const error = new NoResponseError(refusal);
		const poll = { isBillable: false, wasSent: false };
		expect(decided(error, { ...poll, isLastPoll: true }).mayBeSentAgain).toBe(true);
		expect(decided(error, poll).mayBeSentAgain).toBe(false);
	},
);

test('a request that is cancelled may be billed once it was sent', () => {
	expect(decided(new CancelledError()).mayBeAccepted).toBe(true);
	expect(decided(new CancelledError(), { wasSent: false }).mayBeAccepted).toBe(false);
});
