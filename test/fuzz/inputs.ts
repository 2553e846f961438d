import { inspect } from 'node:util';
import fc from 'fast-check';
import {
	chatRequest,
	InvalidInputError,
	parseCredential,
	parseJson,
	parseTaskId,
	videoRequest,
} from '../../gateway';
import { readDatedName } from '../../gateway/schemas/models';
import { PollSchedule } from '../../gateway/video/pollSchedule';
import { outcomeOf, property } from './property';

/** Any value that JSON or an expression can have. */
const anything = fc.anything({ withBigInt: true, withDate: true });
const fields = (names: string[]) =>
	fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const VIDEO = { model: 'm', prompt: 'A boat' };

/** Either the request can be sent as JSON, or the error is about the input. */
async function expectRequest(build: () => object) {
	const { result, error } = await outcomeOf(build);
	if (result !== undefined) JSON.stringify(result);
	else if (!(error instanceof InvalidInputError))
		throw new Error(`Not an InvalidInputError: ${inspect(error)}`);
}

export const inputProperties = [
	property(
		'any chat request is accepted or refused with an InvalidInputError',
		fc.record({
			input: fields(['model', 'messages', 'temperature', 'max_tokens', 'top_p', 'stop', 'user']),
			additionalBody: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
		}),
		async ({ input, additionalBody }) => {
			await expectRequest(() => chatRequest({ ...CHAT, ...input }, additionalBody));
		},
	),
	property(
		'any messages are accepted or refused with an InvalidInputError',
		fc.oneof(fc.jsonValue(), fc.array(fields(['role', 'content']))),
		async (messages) => {
			await expectRequest(() => chatRequest({ model: 'm', messages }));
		},
	),
	property(
		'any video request is accepted or refused with an InvalidInputError',
		fc.record({
			input: fields(['model', 'prompt', 'size', 'duration', 'fps', 'n', 'response_format', 'user']),
			additionalBody: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
		}),
		async ({ input, additionalBody }) => {
			await expectRequest(() => videoRequest({ ...VIDEO, ...input }, additionalBody));
		},
	),
	property(
		'any text as JSON or as a task ID is accepted or refused with a GatewayError',
		fc.string(),
		async (text) => {
			await outcomeOf(() => parseJson(text, 'messagesJson'));
			await outcomeOf(() => parseTaskId(text));
		},
	),
	property(
		'any credential is accepted or refused, and the error does not contain the key',
		fc.record({
			baseUrl: fc.oneof(fc.webUrl(), fc.string(), anything),
			apiKey: fc.oneof(fc.string({ minLength: 8 }), anything),
			videoBasePath: fc.oneof(fc.constantFrom('/v1', '/media/v1'), anything),
			ignoreSslIssues: fc.oneof(fc.boolean(), anything),
		}),
		async (credential) => {
			const { error } = await outcomeOf(() => parseCredential(credential));
			const { apiKey } = credential;
			if (error === undefined || typeof apiKey !== 'string' || apiKey.trim().length < 8) return;
			if (inspect(error).includes(apiKey.trim())) throw new Error('The error contains the key');
		},
	),
	property(
		'with any progress, a task is polled in time and not too often',
		fc.record({
			polling: fc.constantFrom('fixed' as const, 'adaptive' as const),
			interval: fc.double({ min: 1, max: 3_600_000, noNaN: true }),
			maxWait: fc.double({ min: 1, max: 604_800_000, noNaN: true }),
			latency: fc.double({ min: 0, max: 60_000, noNaN: true }),
			progressValues: fc.array(
				fc.oneof(
					fc.integer({ min: 0, max: 100 }),
					fc.double({ min: 0, max: 100, noNaN: true }),
					fc.double(),
					fc.constantFrom(undefined, null),
				),
				{ maxLength: 40 },
			),
		}),
		({ polling, interval, maxWait, latency, progressValues }) => {
			const schedule = new PollSchedule(polling, interval);
			let now = 0;
			for (const progress of progressValues) {
				now += latency;
				const remaining = maxWait - now;
				// The poll at the end of Max Wait is the last one, and comes at that time.
				if (remaining <= 0) return;
				const wait = schedule.next(now, progress, remaining);
				const isTooSoon = !(wait >= 0.199 * interval || wait === remaining);
				const isTooLate = wait > 8 * interval || (wait > remaining && wait > 0.201 * interval);
				if (isTooSoon || isTooLate)
					throw new Error(`The wait is ${wait}, with ${remaining} remaining`);
				now += wait;
			}
		},
	),
	property(
		'the base name and date of a model name make up the name',
		fc.oneof(
			fc.string(),
			fc
				.tuple(fc.string(), fc.constantFrom('@', '-'), fc.nat(99_999_999))
				.map((parts) => parts.join('')),
		),
		(id) => {
			const { baseName, versionDate } = readDatedName(id);
			const digits = versionDate?.replaceAll('-', '');
			const expected =
				digits === undefined ? [id] : [`${baseName}@${digits}`, `${baseName}-${digits}`];
			if (!expected.includes(digits === undefined ? baseName : id))
				throw new Error(`Parsed wrongly: ${id}`);
		},
	),
];
