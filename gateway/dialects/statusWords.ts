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

/** The names of a field with a status: all that tells one by its name is asked of these. */
const STATUS_NAMES = ['status', 'state'];
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
export function meaningOfStatus(said: string): StatusMeaning | undefined {
	const words = wordsIn(said);
	const own = STATUSES.find((status) => status === words);
	if (own !== undefined) return own;
	const isToCome = TO_COME.test(words);
	const isAt = {
		alone: (word: string) => words === word,
		last: (word: string) => ` ${words}`.endsWith(` ${word}`),
		anywhere: (word: string) => !isToCome && ` ${words} `.includes(` ${word} `),
	};
	const known = STATUS_WORDS.find(([, where, ofRow]) => ofRow.some(isAt[where]));
	return known?.[0] ?? (IS_GOING_ON.test(words) ? 'running' : undefined);
}

/** Whether a status is one of the interface, or has a word that says what it means. */
export const isKnown = (meaning: StatusMeaning | undefined): boolean =>
	meaning !== undefined && meaning !== 'unclear';

export const isStatus = (word: unknown): word is TaskStatus =>
	STATUSES.some((status) => status === word);

/**
 * The interface's word for a status; one that nobody knows stays. "Clients poll until status is completed or failed" (Endpoints): with
 * any other the task is still running.
 * @param hasVideo whether there is a URL or inline data: without, other services may call a step done
 */
export function readStatus(said: string, hasVideo: boolean): string {
	const meaning = meaningOfStatus(said);
	const isSure = meaning !== 'completed' || hasVideo || wordsIn(said) === meaning;
	return isStatus(meaning) && isSure ? meaning : said;
}

/** A status in a word that the interface does not have, and what it means; undefined for its own, and for one that nobody knows. */
export function saidStatus(word: string, status: string) {
	const meaning = isStatus(status) ? status : meaningOfStatus(word);
	if (meaning === undefined || meaning === wordsIn(word)) return undefined;
	if (meaning === 'unclear') return { word, meaning: 'failed' };
	return { word, meaning: meaning === 'running' ? 'processing' : meaning };
}
