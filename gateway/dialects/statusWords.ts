import { STATUSES } from '../schemas/video';
import { wordsIn } from './values';

type TaskStatus = (typeof STATUSES)[number];
/** `unclear`: a failure, if the next poll says it, too. `running`: on its way, in a word that is shown as it is. */
type StatusMeaning = TaskStatus | 'unclear' | 'running';

/** What words of other services mean, in small letters with spaces between them, and where a status has them. */
export const STATUS_WORDS: ReadonlyArray<
	readonly [StatusMeaning, 'anywhere' | 'last' | 'alone', words: readonly string[]]
> = [
	['completed', 'alone', ['ready']],
	['processing', 'alone', ['in progress', 'running']],
	// An end without a video, as services name it: by a fault, by their rules, by time, or by someone.
	['failed', 'anywhere', 'fail failed failure interrupted aborted terminated'.split(' ')],
	['failed', 'anywhere', 'reject rejected denied refused nsfw moderated filtered'.split(' ')],
	['failed', 'anywhere', 'block blocked flagged banned prohibited'.split(' ')],
	['failed', 'anywhere', ['expire', 'expired', 'time out', 'timed out', 'timeout', 'timedout']],
	['failed', 'anywhere', ['cancel', 'canceled', 'cancelled', 'deleted']],
	['completed', 'anywhere', 'complete completed done finish finished'.split(' ')],
	['completed', 'anywhere', 'succeed succeeded success successful'.split(' ')],
	['unclear', 'anywhere', ['error', 'errored', 'exception']],
	['queued', 'last', ['queued']],
	['processing', 'last', ['processing']],
	['running', 'last', 'queue wait run submitted created scheduled'.split(' ')],
	['running', 'last', ['not completed', 'not finished']],
	['running', 'last', ['initialized', 'throttled', 'not start', 'not started', 'not ready']],
];
const SINGLE_WORDS = STATUS_WORDS.flatMap(([meaning, where, words]) =>
	words.map((word) => ({ meaning, where, word })),
);

/** The names of a field with a status: all that tells one by its name is asked of these. */
export const STATUS_NAMES = ['status', 'state'];
const NAMES = STATUS_NAMES.join('|');
/** To take every name apart would be slow. `statusText` has one, `statuses` has none. */
const OF_STATUS = new RegExp(
	`(?:${[...STATUS_NAMES, 'flag', 'done', 'finished', 'complete', 'completed']
		.flatMap((name) => [name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)])
		.join('|')})(?:$|[^a-z])`,
);
const IS_STATUS = new RegExp(`^(?:task )?(?:${NAMES})$`);
const MAY_BE_STATUS = new RegExp(`\\b(?:${NAMES})(?: (?:str|text|name))?$`);
const MAY_BE_NUMBER = new RegExp(`\\b(?:${NAMES}|flag)$`);
const IS_END = /^(?:is )?(?:done|finished|completed?)$/;

export const isOfStatus = (name: string): boolean => OF_STATUS.test(name.slice(0, 100));

/** What a field tells of a status by its name; undefined for other fields. */
export function statusField(name: string) {
	if (!isOfStatus(name)) return undefined;
	const words = wordsIn(name);
	return {
		isStatus: IS_STATUS.test(words),
		mayBeStatus: MAY_BE_STATUS.test(words),
		mayBeNumber: MAY_BE_NUMBER.test(words),
		/** Whether it is true at the end. */
		isEnd: IS_END.test(words),
	};
}

/** What is still to come, whatever happened before: `failed_retrying`. */
const TO_COME = /\b(?:not|queued|pending|retry|\w+ing)$|\bnot\b/;
/** Of xAI's polls, `{"status":"pending"}` is all. */
const IS_GOING_ON = /\b(?!(?:warn|miss|noth)ing)\w+ing$/;

/** What a status means, by its parts, as far as it is known. */
function meaningOfStatus(said: string): StatusMeaning | undefined {
	const words = wordsIn(said);
	const own = STATUSES.find((status) => status === words);
	if (own !== undefined) return own;
	const isToCome = TO_COME.test(words);
	const known = SINGLE_WORDS.find(({ where, word }) => {
		if (where === 'alone') return words === word;
		if (where === 'last') return ` ${words}`.endsWith(` ${word}`);
		return !isToCome && ` ${words} `.includes(` ${word} `);
	});
	return known?.meaning ?? (IS_GOING_ON.test(words) ? 'running' : undefined);
}

/**
 * The interface's word for a status; one that nobody knows stays. "Clients poll until status is completed or failed" (Endpoints): with
 * any other the task is still running.
 * @param hasVideo whether there is a URL or inline data: without, other services may call a step done
 */
export function readStatus(said: string, hasVideo: boolean): string {
	const meaning = meaningOfStatus(said);
	const isOwn = meaning === wordsIn(said) || (meaning !== 'completed' && isStatus(meaning));
	return meaning !== undefined && (isOwn || (meaning === 'completed' && hasVideo)) ? meaning : said;
}

const isStatus = (meaning: unknown): meaning is TaskStatus =>
	STATUSES.some((status) => status === meaning);

/** A status in a word that the interface does not have, and what it means; undefined for its own, and for one that nobody knows. */
export function saidStatus(word: string, status: string) {
	const meaning = isStatus(status) ? status : meaningOfStatus(word);
	if (meaning === undefined || meaning === wordsIn(word)) return undefined;
	if (meaning === 'unclear') return { word, meaning: 'failed' };
	return { word, meaning: meaning === 'running' ? 'processing' : meaning };
}

/** Whether a service that says this means that the task is done, with or without a video. */
export const isDone = (said: string): boolean => meaningOfStatus(said) === 'completed';

/** Whether a status is one of the interface, or has a word that says what it means. */
export const isKnownStatus = (said: string): boolean =>
	!['unclear', undefined].includes(meaningOfStatus(said));

/** Whether a status is an end if the next poll says it, too. */
export const mayMeanFailed = (said: string): boolean => meaningOfStatus(said) === 'unclear';
