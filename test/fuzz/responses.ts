import fc from 'fast-check';
import { VirtualClock } from '../clock/virtualClock';
import { stubbedGateway } from '../gateway/inMemory';
import { call, CALLS } from './calls';
import { deliver, delivery, receive } from './rawResponses';
import { outcomeOf, property } from './property';

/** The longest duration of a call: three attempts, each after the longest pause. */
const MAX_MS = 3 * 300_000;

const anyJson = fc.jsonValue({ maxDepth: 4 });
const mostly = <Value>(valid: fc.Arbitrary<Value>) =>
	fc.oneof(
		{ weight: 4, arbitrary: valid as fc.Arbitrary<unknown> },
		{ weight: 1, arbitrary: anyJson },
	);
const maybe = (fields: Record<string, fc.Arbitrary<unknown>>) =>
	fc.record(fields, { requiredKeys: [] });

/** Documented responses in which any field may be missing or of another type. */
export const nearlyValid = fc.oneof(
	mostly(
		maybe({
			id: mostly(fc.string()),
			created: mostly(fc.integer()),
			choices: mostly(
				fc.array(
					maybe({
						index: mostly(fc.nat(3)),
						message: mostly(maybe({ role: mostly(fc.string()), content: mostly(fc.string()) })),
						delta: mostly(maybe({ content: mostly(fc.string()), tool_calls: anyJson })),
						finish_reason: mostly(fc.constant('stop')),
					}),
					{ maxLength: 3 },
				),
			),
			usage: mostly(maybe({ prompt_tokens: mostly(fc.nat()), total_tokens: anyJson })),
		}),
	),
	mostly(
		maybe({
			id: mostly(fc.string({ minLength: 1 })),
			status: mostly(fc.constantFrom('queued', 'processing', 'completed', 'failed')),
			progress: mostly(fc.integer()),
			url: mostly(fc.webUrl()),
			metadata: mostly(maybe({ duration: anyJson, size: anyJson, fps: anyJson, format: anyJson })),
			error: anyJson,
			data: mostly(fc.array(maybe({ id: mostly(fc.string()), status: anyJson, url: anyJson }))),
		}),
	),
	mostly(
		maybe({
			code: anyJson,
			message: mostly(fc.string()),
			data: mostly(maybe({ retry_after: mostly(fc.double()), reason: anyJson })),
			error: mostly(maybe({ message: mostly(fc.string()), type: anyJson, code: anyJson })),
		}),
	),
);

const headerValue = fc.oneof(
	fc.string(),
	fc.integer().map(String),
	fc.double().map(String),
	fc.date().map((date) => (Number.isNaN(date.getTime()) ? 'never' : date.toUTCString())),
);
export const headers = fc.record(
	{
		'content-type': fc.constantFrom('application/json', 'text/event-stream', 'text/html', ''),
		'retry-after': headerValue,
		date: headerValue,
		'x-ratelimit-limit-requests': headerValue,
		'x-ratelimit-remaining-requests': headerValue,
		'x-ratelimit-reset-requests': headerValue,
	},
	{ requiredKeys: [] },
);
export const status = fc.oneof(
	fc.constantFrom(200, 200, 200, 201, 400, 401, 403, 404, 413, 429, 429, 500, 502, 503),
	fc.integer({ min: 200, max: 599 }),
);

property(
	'any JSON response gives a result or a GatewayError',
	fc.record({ call, status, headers, body: fc.oneof(anyJson, nearlyValid) }),
	async ({ call: name, status: code, headers: sent, body }) => {
		const clock = new VirtualClock();
		const start = clock.now();
		const packets = [Buffer.from(JSON.stringify(body))];
		const response = { status: code, headers: sent, packets };
		const gateway = stubbedGateway({ ...response, maxRetries: 2, clock });
		await clock.run(outcomeOf(async () => await CALLS[name]!(gateway)));
		if (clock.now() - start > MAX_MS) throw new Error('The call took too long');
		if (clock.timers !== 0) throw new Error('A timer is still pending');
	},
);

property(
	'any events of a stream give a result or a GatewayError',
	fc.record({
		delivery,
		events: fc.array(fc.oneof(anyJson, nearlyValid), { maxLength: 6 }),
		done: fc.boolean(),
	}),
	async ({ delivery: how, events, done }) => {
		const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
		const body = Buffer.from(lines.join('') + (done ? 'data: [DONE]\n\n' : ''));
		await receive('stream', deliver({ status: 200, body }, how));
	},
);
