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

/** What JSON and expressions can give. */
const anything = fc.anything({ withBigInt: true, withDate: true });
const fields = (names: string[]) =>
	fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const VIDEO = { model: 'm', prompt: 'A boat' };

/** A request that was accepted can be sent; an error is about the input. */
async function expectRequest(build: () => object) {
	const { result, error } = await outcomeOf(build);
	if (result !== undefined) JSON.stringify(result);
	else if (!(error instanceof InvalidInputError))
		throw new Error(`Not about the input: ${inspect(error)}`);
}

export const inputProperties = [
	property(
		'anything as a chat request is sent or refused in plain words',
		fc.record({
			input: fields(['model', 'messages', 'temperature', 'max_tokens', 'top_p', 'stop', 'user']),
			additionalBody: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
		}),
		async ({ input, additionalBody }) => {
			await expectRequest(() => chatRequest({ ...CHAT, ...input }, additionalBody));
		},
	),
	property(
		'anything as messages is sent or refused in plain words',
		fc.oneof(fc.jsonValue(), fc.array(fields(['role', 'content']))),
		async (messages) => {
			await expectRequest(() => chatRequest({ model: 'm', messages }));
		},
	),
	property(
		'anything as a video request is sent or refused in plain words',
		fc.record({
			input: fields(['model', 'prompt', 'size', 'duration', 'fps', 'n', 'response_format', 'user']),
			additionalBody: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
		}),
		async ({ input, additionalBody }) => {
			await expectRequest(() => videoRequest({ ...VIDEO, ...input }, additionalBody));
		},
	),
	property('any text as JSON or as a task id is taken or refused', fc.string(), async (text) => {
		await outcomeOf(() => parseJson(text, 'messagesJson'));
		await outcomeOf(() => parseTaskId(text));
	}),
	property(
		'any credential is taken or refused, and a refusal does not repeat the key',
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
			if (inspect(error).includes(apiKey.trim())) throw new Error('The key shows');
		},
	),
	property(
		'whatever progress a task shows, it is looked at again in time and not too often',
		fc.record({
			polling: fc.constantFrom('fixed' as const, 'adaptive' as const),
			interval: fc.double({ min: 1, max: 3_600_000, noNaN: true }),
			maxWait: fc.double({ min: 1, max: 604_800_000, noNaN: true }),
			answerTakes: fc.double({ min: 0, max: 60_000, noNaN: true }),
			shown: fc.array(
				fc.oneof(
					fc.integer({ min: 0, max: 100 }),
					fc.double({ min: 0, max: 100, noNaN: true }),
					fc.double(),
					fc.constantFrom(undefined, null),
				),
				{ maxLength: 40 },
			),
		}),
		({ polling, interval, maxWait, answerTakes, shown }) => {
			const schedule = new PollSchedule(polling, interval);
			let now = 0;
			for (const progress of shown) {
				now += answerTakes;
				const left = maxWait - now;
				const wait = schedule.next(now, progress, left);
				const isTooSoon = !(wait >= 0.199 * interval);
				const isTooLate = wait > 8 * interval || (wait > left && wait > 0.201 * interval);
				if (isTooSoon || isTooLate) throw new Error(`The wait is ${wait}, with ${left} left`);
				now += wait;
			}
		},
	),
	property(
		'the date of any model name belongs to the name',
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
				throw new Error(`Read from ${id}`);
		},
	),
];
