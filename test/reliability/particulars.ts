import type { Case } from './faultTable';
import { oversizedBytes } from './ways';

type Item = Record<string, unknown>;
/** Changes the item that a healthy service gives, or all of its items, into what the user gets. */
type Change = (item: Item, all: Item[]) => unknown[];

const changed =
	(fields: Item): Change =>
	(item) => [{ ...item, ...fields }];
const without =
	(...names: string[]): Change =>
	(item) => [Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))];
const models = (...ids: string[]) => ids.map((id) => ({ id, base_name: id, version_date: null }));

const calling: Change = ({ id, model }) => [
	{
		id,
		object: 'chat.completion',
		created: expect.any(Number) as number,
		model,
		choices: [
			{
				index: 0,
				message: {
					role: 'assistant',
					content: '',
					tool_calls: [
						{
							id: expect.stringMatching(/^call-/) as unknown,
							type: 'function',
							function: { name: 'weather', arguments: '{"city": "Rome"}' },
						},
					],
				},
				finish_reason: 'tool_calls',
			},
		],
	},
];

/** Good items that are not those of a healthy service. */
const ITEMS: Record<string, Change> = {
	'no-usage': without('usage'),
	'null-content': changed({ text: '' }),
	'output-filtered': changed({ text: 'You', finish_reason: 'content_filter' }),
	'stream-no-reason': changed({ finish_reason: null }),
	'models-strings': () => [
		...models('heron-chat'),
		{ id: 'kite-motion@20250501', base_name: 'kite-motion', version_date: '2025-05-01' },
	],
	'models-empty': () => [],
	'models-huge': () =>
		models(...Array.from({ length: 100_000 }, (_, index) => `model-${index}`)).map((model) => ({
			...model,
			object: 'model',
		})),
	'tool-name-repeated': calling,
	'tool-id-emptied': calling,
	'task-bare': (item) => [{ status: item.status, task_id: item.task_id, url: item.url }],
	'task-odd-progress': without('progress'),
	'task-url-null': changed({ url: null }),
	'task-url-absent': changed({ url: null }),
	'task-url-relative': changed({ url: '/files/x.mp4' }),
	'task-url-file': changed({ url: 'file:///etc/hostname' }),
	'task-url-private': changed({ url: 'http://169.254.169.254/latest/meta-data/' }),
	'task-bad-base64': changed({ url: null }),
};

/** A file is handed on as it was sent: nothing shows that these are not the video. */
const FILES: Record<string, (video: Buffer) => Buffer> = {
	'cut-short': (video) => video.subarray(0, Math.floor(video.length / 2)),
	oversized: (video) => Buffer.concat([Buffer.alloc(oversizedBytes('download'), ' '), video]),
};

/** The items of a good course. */
export function expectedItems({ fault, way }: Case, healthy: Item[]): unknown[] {
	const [item = {}] = healthy;
	const spoil = way === 'download' && FILES[fault];
	if (spoil) {
		const video = spoil(Buffer.from(String(item.video), 'base64')).toString('base64');
		return [{ ...item, video }];
	}
	return ITEMS[fault]?.(item, healthy) ?? healthy;
}

export const statusOf = (fault: string) => Number(/\d{3}$/.exec(fault)?.[0] ?? 500);

/** A server between n8n and the service answers in a form of its own: with these statuses it is no refusal of the service. */
export function isInBetween(fault: string): boolean {
	if (/^(handled-|late-|echo-key-(text|html))/.test(fault)) return true;
	const [, form, status] = /^(html|text|empty)-(\d+)$/.exec(fault) ?? [];
	if (status === '500' || status === '502') return true;
	return form !== 'empty' && ['400', '401', '403'].includes(String(status));
}

/** Streams that break after some of the text arrived: it may be paid for, and is in the error. */
const PARTIAL =
	/^(reset-inside|hang-inside|truncated|cut-short|stream-(cut|reset|hang|long-line|error-|echo-key|garbage|nonsense|html))/;

export function isPartial({ fault, way }: Case): boolean {
	return way === 'chatStream' && PARTIAL.test(fault);
}

/** The service's own words, which an error repeats, by the fault. */
const WORDS: ReadonlyArray<[faults: RegExp, words: string]> = [
	[/^(html-[45]|handled-html|late-)/, 'Bad gateway'],
	[/^handled-foreign-500/, 'Internal server error'],
	[/^handled-foreign-502/, 'The upstream server closed the connection'],
	[/^text-[45]/, 'upstream connect error, try again later'],
	[/^stream-error-/, 'The model went away.'],
	[/^stream-garbage/, '{"id": oops'],
	[/^task-failed-(string|object)/, 'The scene could not be drawn.'],
	[/^(echo-key|task-failed-echo|stream-echo)/, 'No such key: Bearer [API key removed]'],
	[/^retry-after-/, 'Too many requests.'],
	[/^status-|-(general|alternate)$/, 'The simulator was asked for this: '],
];

/** What an error tells beside its message, where it matters to the user. */
const ADVICE: ReadonlyArray<[faults: RegExp, advice: string | RegExp]> = [
	[/^empty-400/, 'the service does not say which one is wrong'],
	[/^rate-limit|^retry-after-header/, 'The service asks to retry after 1 second.'],
	[/^retry-after-(date|skewed|reset)/, /The service asks to retry after [23] seconds\./],
	[/^retry-after-year/, 'The service asks to retry after 365 days.'],
	[/^(html|text|empty)-429|^retry-after-(zero|neg|text|absent|garb|past)/, 'Wait a moment and'],
	[/^refused-connection/, 'Check the Base URL and its port'],
	[/^unknown-host/, 'Check the spelling of the Base URL'],
	[/^(not-tls|untrusted)/, 'turn on Ignore SSL Issues'],
	[/^redirect-/, 'Enter the final URL of the service as the Base URL in the credential.'],
	[/^(hang|stream-hang)/, 'Increase Timeout if'],
	[
		/^(quota|content-f|model-n|invalid-api)/,
		/^(Top up|Change the wording|Choose a m|Check the key)/,
	],
];

/** What the description of the error must contain. */
export function phrasesOf({ fault, way }: Case, code: string): Array<string | RegExp> {
	if (way === 'download') {
		return ['The video is finished and billed: use Get with this task ID'];
	}
	if (code === 'wait_timeout') {
		const goesOn = 'The task is still running.';
		return /^(task-|hang)/.test(fault) ? [goesOn] : [goesOn, 'The last poll failed: '];
	}
	const words = WORDS.find(([faults]) => faults.test(fault))?.[1];
	const advice = ADVICE.filter(([faults]) => faults.test(fault)).map(([, text]) => text);
	const speaker = isInBetween(fault) ? 'The server in between' : 'The service';
	return [
		...(words === undefined ? [] : [`\n${speaker} says: ${words}`]),
		...(isInBetween(fault) ? ['The response does not have the format of the service'] : []),
		...advice,
	];
}

/** Nobody says what nobody said. */
export function isWordless({ fault, way }: Case): boolean {
	return way === 'download' || /^(empty-[45]|refused-|unknown-|lookup-|not-tls|untr)/.test(fault);
}
