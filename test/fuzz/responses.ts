import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Gateway, type GatewayOptions, parseCredential } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import { VirtualClock } from '../clock/virtualClock';
import { call, CALLS } from './calls';
import { deliver, delivery, MARKER, receive } from './rawResponses';
import { outcomeOf, property } from './property';

type Transport = NonNullable<GatewayOptions['transport']>;
type Response = Awaited<ReturnType<Transport>>;

/** The longest duration of a call: five attempts, each after the longest pause. */
const MAX_MS = 5 * 300_000;

let gateways = 0;

/** A gateway on a virtual clock that gets this response to every request. */
function stubbedGateway(respond: () => Response): { gateway: Gateway; clock: VirtualClock } {
	const clock = new VirtualClock();
	const gateway = new Gateway(
		// A service of its own, because a rate limiter is shared per service and key.
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

async function callGateway(name: string, respond: () => Response) {
	const { gateway, clock } = stubbedGateway(respond);
	const start = clock.now();
	const outcome = await clock.run(outcomeOf(async () => await CALLS[name]!(gateway)));
	if (clock.now() - start > MAX_MS) throw new Error('The call took too long');
	if (clock.timers !== 0) throw new Error('A timer is still pending');
	return outcome;
}

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

const errorBody = fc.oneof(
	maybe({
		code: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
		message: mostly(fc.string()),
		data: anyJson,
	}),
	maybe({ error: mostly(maybe({ message: mostly(fc.string()), code: mostly(fc.string()) })) }),
	anyJson,
);

/** Whether a body is complete in one of the two documented error formats. */
function isServiceError(body: unknown): boolean {
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

export const responseProperties = [
	property(
		'any JSON response gives a result or a GatewayError',
		fc.record({ call, status, headers, body: fc.oneof(anyJson, nearlyValid) }),
		async (input) => {
			const bytes = Buffer.from(JSON.stringify(input.body));
			await callGateway(input.call, () => ({ ...input, body: bodyOf(bytes) }));
		},
	),
	property(
		'a billable request is retried only after a refusal, and a lost one may have been accepted',
		fc.record({
			call: fc.constantFrom('chat', 'stream', 'submit'),
			status: fc.constantFrom(400, 408, 429, 500, 500, 502, 502, 503, 504, 529),
			body: errorBody,
		}),
		async ({ call: name, status: code, body }) => {
			let sent = 0;
			const { error } = await callGateway(name, () => {
				sent += 1;
				return { status: code, headers: {}, body: bodyOf(Buffer.from(JSON.stringify(body))) };
			});
			const isRefused =
				[429, 503].includes(code) || ([500, 502].includes(code) && isServiceError(body));
			const isLost = !isRefused && code !== 400;
			const expected = isLost || code === 400 ? 1 : 3;
			if (sent !== expected) throw new Error(`The request was sent ${sent} times`);
			if (error?.mayHaveBeenAccepted !== isLost)
				throw new Error(`May have been accepted: ${error?.mayHaveBeenAccepted}`);
		},
	),
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
	),
	property(
		'a key that the service echoes is not in any error',
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
			/** PHP escapes slashes in JSON. */
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
			delivery: how,
			status: code,
			before,
			after,
			form,
			shape,
			escapeSlashes,
		}) => {
			const echoed = form(MARKER);
			const json = JSON.stringify(shape(before + echoed + after));
			const bytes = Buffer.from(escapeSlashes ? json.replaceAll('/', '\\/') : json);
			const { error } = await receive(name, deliver({ status: code, body: bytes }, how));
			if (error === undefined) return;
			const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), error.message].join('\n');
			for (const secret of [MARKER, echoed]) {
				if (shown.includes(secret)) throw new Error(`The error contains the key: ${shown}`);
			}
		},
	),
];
