import { constants, gunzipSync, gzipSync } from 'node:zlib';
import type { Case } from './faultTable';
import { oversizedBytes } from './requestKinds';

type Item = Record<string, unknown>;
/** Changes the items without a fault to the items with it. */
type Change = (item: Item, all: Item[]) => unknown[];

const setFields =
	(fields: Item): Change =>
	(item) => [{ ...item, ...fields }];
const removeFields =
	(...names: string[]): Change =>
	(item) => [Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))];
const models = (...ids: string[]) => ids.map((id) => ({ id, base_name: id, version_date: null }));

const withToolCall: Change = ({ id, model }) => [
	{
		id,
		object: 'chat.completion',
		created: expect.any(Number),
		model,
		choices: [
			{
				index: 0,
				message: {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: expect.stringMatching(/^call-/),
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

/** How a fault changes good items. */
const ITEM_CHANGES: Record<string, Change> = {
	'no-usage': removeFields('usage'),
	'null-content': setFields({ text: '' }),
	'output-filtered': setFields({ text: 'You', finish_reason: 'content_filter' }),
	'stream-no-reason': setFields({ finish_reason: null }),
	'models-strings': () => [
		...models('heron-chat'),
		{ id: 'kite-motion@20250501', base_name: 'kite-motion', version_date: '2025-05-01' },
	],
	'models-empty': () => [],
	'tool-name-repeated': withToolCall,
	'tool-id-emptied': withToolCall,
	'task-bare': ({ status, task_id, url }) => [{ status, task_id, url }],
	'task-odd-progress': removeFields('progress'),
	'task-url-null': setFields({ url: null }),
	'task-url-absent': setFields({ url: null }),
	'task-url-relative': setFields({ url: 'service/files/x.mp4' }),
	'task-url-file': setFields({ url: 'file:///etc/hostname' }),
	'task-url-private': setFields({ url: 'http://169.254.169.254/latest/meta-data/' }),
	'task-bad-base64': setFields({ url: null }),
};

/** How a fault changes a downloaded file without being detectable. */
const FILE_CHANGES: Record<string, (video: Buffer) => Buffer> = {
	'cut-short': (video) => video.subarray(0, Math.floor(video.length / 2)),
	'cut-gzip': (video) => {
		const compressed = gzipSync(video);
		const half = compressed.subarray(0, Math.floor(compressed.length / 2));
		return gunzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH });
	},
	oversized: (video) => Buffer.concat([Buffer.alloc(oversizedBytes('download'), ' '), video]),
};

/** The expected items of a run without errors. */
export function expectedItems({ fault, kind }: Case, healthy: Item[]): unknown[] {
	const [item = {}] = healthy;
	const change = kind === 'download' && FILE_CHANGES[fault];
	if (change) {
		const video = change(Buffer.from(String(item.video), 'base64')).toString('base64');
		return [{ ...item, video }];
	}
	// Of a video that this run submitted, the response to its submission says the prompt and when, too.
	if (fault === 'task-bare' && kind === 'submit') {
		const { status, task_id, url, revised_prompt, created_at } = item;
		return [{ status, task_id, url, revised_prompt, created_at }];
	}
	return ITEM_CHANGES[fault]?.(item, healthy) ?? healthy;
}

export const statusOf = (fault: string) => Number(/\d{3}$/.exec(fault)?.[0] ?? 500);

/** Whether the error counts as one of a server between n8n and the service. */
export function isProxyError(fault: string): boolean {
	if (/^(handled-|late-|echo-key-(text|html))/.test(fault)) return true;
	const [, form, status] = /^(html|text|empty)-(\d+)$/.exec(fault) ?? [];
	if (['408', '500', '502', '504', '522'].includes(String(status))) return true;
	return form !== 'empty' && ['400', '401', '403'].includes(String(status));
}

/** Streams that break after part of the text arrived, which is then in the error. */
const PARTIAL =
	/^(reset-inside|hang-inside|truncated|cut-short|stream-(cut|reset|hang|long-line|error-|echo-key|garbage|wrong-shape|html))/;

export function hasPartialText({ fault, kind }: Case): boolean {
	return kind === 'chatStream' && PARTIAL.test(fault);
}

/** The message of the service in the error. */
const SERVICE_MESSAGES: ReadonlyArray<[faults: RegExp, message: string]> = [
	[/^(html-[45]|handled-html|late-)/, 'Bad gateway'],
	[/^handled-foreign-500/, 'Internal server error'],
	[/^handled-foreign-502/, 'The upstream server closed the connection'],
	[/^text-[45]/, 'upstream connect error, try again later'],
	[/^json-null/, 'null'],
	[/^json-number/, '42'],
	[/^json-string/, '"done"'],
	[/^json-array/, '[null]'],
	[/^json-object/, '{}'],
	[/^json-other/, '{"id":7,"status":true,'],
	[/^json-error/, 'It went wrong.'],
	[/^stream-error-/, 'The model went away.'],
	[/^stream-garbage/, '{"id": oops'],
	[/^task-failed-(string|object|nested|array)/, 'The scene could not be drawn.'],
	[/^(echo-key|task-failed-echo|stream-echo)/, 'No such key: Bearer [API key removed]'],
	[/^retry-after-/, 'Too many requests.'],
	[/^status-|-(general|alternate)$/, 'The simulator was asked for this: '],
];

/** Advice in the description of the error. */
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
	[/^redirect-\d/, 'The redirect points to 127.0.0.1:9.'],
	[/^redirect-here/, 'The redirect points to another path of the same host.'],
	// Without a model that may need longer, the URL or the network is to blame.
	[/^(hang|stream-hang)/, /Increase Timeout if the model|Check the Base URL .*, and the network/],
	[
		/^(quota|content-f|model-n|invalid-api)/,
		/^(Top up|Change the wording|Choose a model .* withdrawn|Check the key)/,
	],
];

/** About a task that was submitted, and that no poll finds. */
const NOT_FOUND = 'Nothing was submitted again, and the video may be paid for.';

/** Whether the error quotes what the service says of the task: its URL delivers something else than a video. */
const quotesTask = ({ fault, kind }: Pick<Case, 'fault' | 'kind'>) =>
	kind === 'download' && /^(html|text)-200$/.test(fault);

/** Texts that the description of the error must contain. */
export function expectedPhrases(
	{ fault, kind, always }: Case,
	code: string,
): Array<string | RegExp> {
	if (kind === 'download') {
		const answer = quotesTask({ fault, kind })
			? [/ The service says: \{"id":"task-.*… Technical detail: \S/]
			: [];
		return ['The video is finished and billed.', ...answer];
	}
	if (always.followedId) return [NOT_FOUND, ' The service says: The task id is unknown'];
	if (fault === 'task-odd-status')
		return ['Its last status was "paused", which this node does not know.'];
	if (code === 'wait_timeout') {
		return /^task-/.test(fault)
			? ['The task is still running.']
			: ['The last poll failed: ', 'The video may be finished'];
	}
	const message = SERVICE_MESSAGES.find(([faults]) => faults.test(fault))?.[1];
	const advice = ADVICE.filter(([faults]) => faults.test(fault)).map(([, text]) => text);
	const source = isProxyError(fault) ? 'The server in between' : 'The service';
	const isUnread = kind === 'poll' || kind === 'get';
	const isNotFound = kind === 'poll' && /^(model|task)-not-found/.test(fault);
	return [
		...(isUnread && /^json-(?!invalid)/.test(fault) ? ['The video may be finished.'] : []),
		...(isNotFound ? [NOT_FOUND] : []),
		...(message === undefined ? [] : [` ${source} says: ${message}`]),
		...(isProxyError(fault) ? ['The response does not have the format of the service'] : []),
		...advice,
	];
}

/** Whether the error quotes no message, because there is none. */
export function hasNoServiceMessage({ fault, kind }: Case): boolean {
	if (kind === 'download') return !quotesTask({ fault, kind });
	return /^(empty-[45]|refused-|unknown-|lookup-|not-tls|untr)/.test(fault);
}
