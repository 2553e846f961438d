import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Gateway, type GatewayOptions, parseCredential, StreamedBody } from '../../gateway';
import { VirtualClock } from '../gateway/virtualClock';
import { call, CALLS } from './calls';
import { deliver, delivery, MARKER, receive } from './overSocket';
import { outcomeOf, property } from './property';

type Transport = NonNullable<GatewayOptions['transport']>;
type Response = Awaited<ReturnType<Transport>>;

/** The longest time in which a request can be given up: five tries, each after the longest pause. */
const LONGEST_MS = 5 * 300_000;

let gateways = 0;

/** A gateway whose service gives this answer to everything, in a time of its own. */
function answering(respond: () => Response): { gateway: Gateway; clock: VirtualClock } {
	const clock = new VirtualClock();
	const gateway = new Gateway(
		// The rate limiter is shared by all that use one service and key.
		parseCredential({ baseUrl: `http://service-${(gateways += 1)}.test`, apiKey: MARKER }),
		{
			maxConcurrency: 2,
			maxRetries: 2,
			timeoutMs: 60_000,
			clock,
			transport: async () => await Promise.resolve(respond()),
		},
	);
	return { gateway, clock };
}

async function ask(name: string, respond: () => Response) {
	const { gateway, clock } = answering(respond);
	const start = clock.now();
	const outcome = await clock.run(outcomeOf(async () => await CALLS[name]!(gateway)));
	if (clock.now() - start > LONGEST_MS) throw new Error('It waited too long');
	if (clock.timers !== 0) throw new Error('It left a timer behind');
	return outcome;
}

const anyJson = fc.jsonValue({ maxDepth: 4 });
const orAny = <Value>(usual: fc.Arbitrary<Value>) =>
	fc.oneof(
		{ weight: 4, arbitrary: usual as fc.Arbitrary<unknown> },
		{ weight: 1, arbitrary: anyJson },
	);
const maybe = (fields: Record<string, fc.Arbitrary<unknown>>) =>
	fc.record(fields, { requiredKeys: [] });

/** What the document promises, with any field missing or of any other kind. */
export const nearlyRight = fc.oneof(
	orAny(
		maybe({
			id: orAny(fc.string()),
			created: orAny(fc.integer()),
			choices: orAny(
				fc.array(
					maybe({
						index: orAny(fc.nat(3)),
						message: orAny(maybe({ role: orAny(fc.string()), content: orAny(fc.string()) })),
						delta: orAny(maybe({ content: orAny(fc.string()), tool_calls: anyJson })),
						finish_reason: orAny(fc.constant('stop')),
					}),
					{ maxLength: 3 },
				),
			),
			usage: orAny(maybe({ prompt_tokens: orAny(fc.nat()), total_tokens: anyJson })),
		}),
	),
	orAny(
		maybe({
			id: orAny(fc.string({ minLength: 1 })),
			status: orAny(fc.constantFrom('queued', 'processing', 'completed', 'failed')),
			progress: orAny(fc.integer()),
			url: orAny(fc.webUrl()),
			metadata: orAny(maybe({ duration: anyJson, size: anyJson, fps: anyJson, format: anyJson })),
			error: anyJson,
			data: orAny(fc.array(maybe({ id: orAny(fc.string()), status: anyJson, url: anyJson }))),
		}),
	),
	orAny(
		maybe({
			code: anyJson,
			message: orAny(fc.string()),
			data: orAny(maybe({ retry_after: orAny(fc.double()), reason: anyJson })),
			error: orAny(maybe({ message: orAny(fc.string()), type: anyJson, code: anyJson })),
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

const errorBody = fc.oneof(
	maybe({
		code: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
		message: orAny(fc.string()),
		data: anyJson,
	}),
	maybe({ error: orAny(maybe({ message: orAny(fc.string()), code: orAny(fc.string()) })) }),
	anyJson,
);

/** Whether a body is one of the two error shapes of the document, whole. */
function isRefusal(body: unknown): boolean {
	if (typeof body !== 'object' || body === null) return false;
	const { code, message, error } = body as Record<string, unknown>;
	if (typeof error === 'object' && error !== null) {
		const inner = error as Record<string, unknown>;
		const isCoded =
			inner.code === undefined || inner.code === null || typeof inner.code === 'string';
		return typeof inner.message === 'string' && inner.message !== '' && isCoded;
	}
	const isCoded = (typeof code === 'string' && code !== '') || (code === null && 'data' in body);
	return isCoded && typeof message === 'string';
}

const bodyOf = (bytes: Buffer) =>
	new StreamedBody(Readable.from(bytes.length === 0 ? [] : [bytes]));

export const answerProperties = [
	property(
		'any JSON as an answer ends in a result or in one of our errors',
		fc.record({ call, status, headers, body: fc.oneof(anyJson, nearlyRight) }),
		async (input) => {
			const bytes = Buffer.from(JSON.stringify(input.body));
			await ask(input.call, () => ({ ...input, body: bodyOf(bytes) }));
		},
	),
	property(
		'a paid request is sent again only after a refusal, and is never lost without a word',
		fc.record({
			call: fc.constantFrom('chat', 'stream', 'submit'),
			status: fc.constantFrom(400, 408, 429, 500, 500, 502, 502, 503, 504, 529),
			body: errorBody,
		}),
		async ({ call: name, status: code, body }) => {
			let sent = 0;
			const { error } = await ask(name, () => {
				sent += 1;
				return { status: code, headers: {}, body: bodyOf(Buffer.from(JSON.stringify(body))) };
			});
			const isRefused = [429, 503].includes(code) || ([500, 502].includes(code) && isRefusal(body));
			const isLost = !isRefused && code !== 400;
			const expected = isLost || code === 400 ? 1 : 3;
			if (sent !== expected) throw new Error(`It was sent ${sent} times`);
			if (error?.mayHaveBeenAccepted !== isLost)
				throw new Error(`May have been accepted: ${error?.mayHaveBeenAccepted}`);
		},
	),
	property(
		'any events of a stream end in a result or in one of our errors',
		fc.record({
			delivery,
			events: fc.array(fc.oneof(anyJson, nearlyRight), { maxLength: 6 }),
			done: fc.boolean(),
		}),
		async ({ delivery: way, events, done }) => {
			const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
			const body = Buffer.from(lines.join('') + (done ? 'data: [DONE]\n\n' : ''));
			await receive('stream', deliver({ status: 200, body }, way));
		},
	),
	property(
		'a key that the service repeats anywhere is in no error',
		fc.record({
			call,
			delivery,
			status,
			before: fc.string(),
			after: fc.string(),
			form: fc.constantFrom<(key: string) => string>(
				(key) => key,
				encodeURIComponent,
				(key) => `Bearer ${key}`,
				(key) => Buffer.from(key).toString('base64'),
			),
			/** As PHP and others write a slash in JSON. */
			escapeSlashes: fc.boolean(),
			shape: fc.constantFrom<(text: string) => unknown>(
				(text) => ({ code: text, message: text, data: { reason: text } }),
				(text) => ({ error: { message: text, type: text, code: text } }),
				(text) => ({ message: { nested: [text] }, [text]: text }),
				(text) => text,
			),
		}),
		async ({
			call: name,
			delivery: way,
			status: code,
			before,
			after,
			form,
			shape,
			escapeSlashes,
		}) => {
			const told = form(MARKER);
			const json = JSON.stringify(shape(before + told + after));
			const bytes = Buffer.from(escapeSlashes ? json.replaceAll('/', '\\/') : json);
			const { error } = await receive(name, deliver({ status: code, body: bytes }, way));
			if (error === undefined) return;
			const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), error.message].join('\n');
			for (const secret of [MARKER, told]) {
				if (shown.includes(secret)) throw new Error(`The key shows: ${shown}`);
			}
		},
	),
];
