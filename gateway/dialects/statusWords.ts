import { STATUSES } from '../schemas/video';
import { partsOf } from './answerWalk';

const PROCESSING = /^(?:in ?progress|running)$/;
const DONE = /\b(?:completed?|done|finish(?:ed)?|succe(?:ed(?:ed)?|ss|ssful))\b|^ready$/;
/** An end without a video, as services name it: by a fault, by their rules, by time, or by someone. */
const FAILED =
	/\b(?:fail(?:ed|ure)?|interrupted|aborted|terminated|reject(?:ed)?|denied|refused|nsfw|moderated|filtered|block(?:ed)?|flagged|banned|prohibited|expired?|time(?:d? )?out|timedout|cancel(?:l?ed)?|deleted)\b/;
/** What says that a task is on its way, in an answer that has nothing else: xAI's polls are `{"status":"pending"}`. */
const RUNNING =
	/\b(?:(?:in )?queue|pending|wait|run|submitted|created|scheduled|initialized|throttled|not start(?:ed)?|(?!(?:warn|miss|noth)ing)\w+ing)$/;
/** What is still to come, whatever happened before: `failed_retrying`. */
const TO_COME = /\b(?:not|queued|pending|retry|\w+ing)$|\bnot\b/;

/**
 * The interface's word for a status, by its parts; one that nobody knows stays. "Clients poll until status is completed or failed"
 * (Endpoints): with any other the task is still running.
 * @param hasVideo whether there is a URL or inline data: without, other services may call a step done
 */
export function readStatus(said: string, hasVideo: boolean): string {
	const words = partsOf(said);
	const own = STATUSES.find((status) => status === words);
	if (own !== undefined) return own;
	if (isEnd(words, FAILED)) return 'failed';
	if (isDone(said)) return hasVideo ? 'completed' : said;
	if (PROCESSING.test(words)) return 'processing';
	return STATUSES.find((status) => words.endsWith(` ${status}`)) ?? said;
}

const isEnd = (words: string, ends: RegExp) => ends.test(words) && !TO_COME.test(words);

/** Whether a service that says this means that the task is done, with or without a video. */
export function isDone(said: string): boolean {
	return isEnd(partsOf(said), DONE);
}

/** Whether a status is one of the interface, or has a word that says what it means. */
export function isKnownStatus(said: string): boolean {
	const status = readStatus(said, true);
	return STATUSES.some((own) => own === status) || RUNNING.test(partsOf(said));
}

/** Whether the service said the status in a word that the interface does not have. */
export function isOtherWord(said: string, status: string): boolean {
	return said !== status && partsOf(said) !== status;
}

/** A status that is an end if the next poll says it, too. */
export function mayBeFailed({ status }: { status: string }): boolean {
	return isEnd(partsOf(status), /\b(?:error(?:ed)?|exception)\b/);
}
