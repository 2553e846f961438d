import type { Case } from './faultTable';

/** Good answers that are not those of a healthy service. */
const ALTERED = [
	'no-usage',
	'null-content',
	'output-filtered',
	'models-bare',
	'models-named',
	'models-strings',
	'models-empty',
	'models-huge',
	'stream-no-reason',
	'task-url-null',
	'task-url-absent',
	'task-url-relative',
	'task-url-file',
	'task-url-private',
	'task-bad-base64',
	'task-bare',
	'task-odd-progress',
];
/** A file is handed on as it was sent: nothing shows that these are not the video. */
const ALTERED_FILES = ['cut-short', 'oversized'];

export function isAltered({ fault, way }: Case): boolean {
	return ALTERED.includes(fault) || (way === 'download' && ALTERED_FILES.includes(fault));
}

/** Streams that break after some of the text arrived: it may be paid for, and is in the error. */
const PARTIAL =
	/^(reset-inside|hang-inside|truncated|cut-short|stream-(cut|reset|hang|long-line|error-|echo-key|garbage|nonsense|html))/;

export function isPartial({ fault, way }: Case): boolean {
	return way === 'chatStream' && PARTIAL.test(fault);
}

/** The service's own words, which an error repeats, by the fault. */
const WORDS: ReadonlyArray<[faults: RegExp, words: string]> = [
	[/^html-[45]/, 'Bad gateway'],
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
	[/^empty-400/, 'the service does not say which one it refuses'],
	[/^rate-limit|^retry-after-header/, 'The service asks to wait 1 second.'],
	[/^retry-after-(date|skewed|reset)/, /The service asks to wait [23] seconds\./],
	[/^retry-after-year/, 'The service asks to wait 365 days.'],
	[/^(html|text|empty)-429|^retry-after-(zero|neg|text|absent|garb|past)/, 'Wait a moment and'],
	[/^refused-connection/, 'Check the Base URL and its port'],
	[/^unknown-host/, 'Check the spelling of the Base URL'],
	[/^(not-tls|untrusted)/, 'turn on Ignore SSL Issues'],
	[/^redirect-/, 'Put the final address of the service into the Base URL'],
	[/^(hang|stream-hang)/, 'Raise Timeout if'],
	[
		/^(quota|content-f|model-n|invalid-api)/,
		/^(Top up|Change the wording|Choose a m|Check the key)/,
	],
];

/** What the description of the error must contain. */
export function phrasesOf({ fault, way }: Case, code: string): Array<string | RegExp> {
	if (way === 'download') {
		return ['The video is finished and paid for: use the operation Get with this task ID'];
	}
	if (code === 'wait_timeout') {
		const goesOn = 'The task goes on at the service and nothing is lost';
		return /^(task-|hang)/.test(fault) ? [goesOn] : [goesOn, 'The last look at it failed: '];
	}
	const words = WORDS.find(([faults]) => faults.test(fault))?.[1];
	const advice = ADVICE.filter(([faults]) => faults.test(fault)).map(([, text]) => text);
	return [...(words === undefined ? [] : [`\nThe service says: ${words}`]), ...advice];
}

/** Nobody says what nobody said. */
export function isWordless({ fault, way }: Case): boolean {
	return way === 'download' || /^(empty-[45]|refused-|unknown-|lookup-|not-tls|untr)/.test(fault);
}
