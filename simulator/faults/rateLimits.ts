import { API, faultsOn } from './fault';
import { httpDate, rateLimited } from './effects/replace';

const HOUR = 3_600_000;

const inBody = Object.entries({
	zero: 0,
	negative: -5,
	fraction: 0.5,
	year: 31_536_000,
	text: 'soon',
});

/** 429 responses that give the time of a retry in different ways, or not at all. */
export const rateLimits = [
	...inBody.flatMap(([name, retry_after]) =>
		faultsOn(API, {
			[`retry-after-${name}`]: [
				`429 whose data.retry_after is ${JSON.stringify(retry_after)}`,
				rateLimited({ retry_after }),
			],
		}),
	),
	...faultsOn(API, {
		'retry-after-absent': ['429 that does not say when', rateLimited(null)],
		'retry-after-header': [
			'429 with only Retry-After: 1',
			rateLimited(null, () => ({ 'retry-after': '1' })),
		],
		'retry-after-garbage': [
			'429 with only Retry-After: later',
			rateLimited(null, () => ({ 'retry-after': 'later' })),
		],
		'retry-after-date': [
			'429 with only Retry-After as a date, 2 s ahead',
			rateLimited(null, (now) => ({
				'retry-after': httpDate(now + 2000),
				date: httpDate(now),
			})),
		],
		'retry-after-past': [
			'429 with only Retry-After as a date, an hour ago',
			rateLimited(null, (now) => ({
				'retry-after': httpDate(now - HOUR),
				date: httpDate(now),
			})),
		],
		'retry-after-skewed': [
			'429 from a clock an hour ahead, with Retry-After as a date 2 s after its own',
			rateLimited(null, (now) => ({
				'retry-after': httpDate(now + HOUR + 2000),
				date: httpDate(now + HOUR),
			})),
		],
		'retry-after-reset': [
			'429 with only X-RateLimit-Reset-Requests, 2 s ahead',
			rateLimited(null, (now) => ({
				'x-ratelimit-reset-requests': String(Math.ceil(now / 1000) + 2),
			})),
		],
	}),
];
