import { numberIn } from '../schemas/input';
import { type Fields, isFields } from '../schemas/responseJson';
import { type Asked, namesOf, walk } from './answerWalk';
import { isOfNoFilm } from './films';
import { findTask } from './foundTask';
import { isKnown, readStatus, saidStatus } from './statusWords';
import { besideSent, idIn, wordsIn, percentIn, timeIn, withRead } from './values';

const NUMBERS = { duration: numberIn, fps: numberIn };
const READERS = {
	...{ progress: percentIn, created_at: timeIn, completed_at: timeIn },
	metadata: (value: unknown) => (isFields(value) ? withRead(value, NUMBERS) : value),
};

/**
 * The task that was asked for, wherever and in whichever words an answer has it, as the interface has it; undefined if it has none.
 * Beside the fields of the document, `said_status` is a status that the interface does not have, `others` are further videos, `failure`
 * is what the answer says of a failure, and `sent_as` has what was sent in fields that are read otherwise.
 * @param hasData whether its inline video was found
 */
export function taskFrom(answer: unknown, asked: Asked, hasData = false): unknown {
	const found = findTask(answer, asked);
	if (found === undefined) return undefined;
	const { task, word, meaning, failure } = found;
	// An answer with neither the task's ID nor a known status comes from another server.
	const id = idIn(found.id ?? undefined);
	if (!id && !isKnown(meaning)) return undefined;
	const url = typeof found.url === 'string' ? found.url.trim() : undefined;
	const hasVideo = Boolean(url) || hasData;
	// A service may call a task done that its rules have stopped.
	const isStopped = meaning === 'completed' && !hasVideo && failure !== undefined;
	const status = isStopped ? 'failed' : readStatus(word, hasVideo);
	const isFailed = status === 'failed' || meaning === 'unclear';
	const read = {
		...withRead(task, READERS),
		...{ url: url ?? found.url, status, others: found.others },
		failure: isFailed ? failure : undefined,
		said_status: saidStatus(word, status),
		used: undefined,
	};
	return { ...besideSent(read, task), id, error: found.error ?? task.error };
}

/** Whether an answer is about the task that was asked for, though it may have no status. */
export function isAbout(answer: unknown, asked: Asked): boolean {
	return walk(answer, asked).some(({ isAsked }) => isAsked);
}

const DATA_URL = /^data:[^,"]{0,200};base64,/i;
/** Names of fields with inline data: the interface document does not show where it is. */
const INLINE = /\bb(?:ase)?64\b|^video bytes$/;

/** Where in the text of a field inline data begins; undefined if it is none. */
export function startOfInlineData(name: string, text: string): number | undefined {
	const [prefix] = DATA_URL.exec(text) ?? [];
	return prefix?.length ?? (INLINE.test(wordsIn(name)) ? 0 : undefined);
}

/** Removes all inline data, which would fill the items and the stored executions. Returns that of videos, with the objects it was in. */
export function takeInlineVideos(answer: unknown): Array<{ data: string; inside: Fields }> {
	return walk(answer).flatMap((place) => {
		const { key, value, inside } = place;
		const start = typeof value === 'string' ? startOfInlineData(key, value) : undefined;
		if (typeof value !== 'string' || start === undefined || !isFields(inside?.value)) return [];
		Reflect.deleteProperty(inside.value, key);
		const isOther = isOfNoFilm(namesOf(place)) || /^data:(?:image|audio|text)/i.test(value);
		return value === '' || isOther ? [] : [{ data: value.slice(start), inside: inside.value }];
	});
}
