import { namesOf, type Place, walk } from './answerWalk';
import { findTask, statusesIn } from './foundTask';
import { type Fields, fieldsOf, isEmpty, isFields, plainText } from '../schemas/responseJson';
import { numberIn } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { SUCCESS_WORDS } from './reasonWords';
import { isStatus, readStatus } from './statusWords';
import { takeInlineVideos } from './task';
import { besideSent, idIn, wordsIn, withRead } from './values';

const OF_TASK = /^(?:data|output|result|response|task|job|video|generation|prediction)s?$/;
const OF_SUBMISSION = /^(?:inputs?|param(?:eter)?s|metadata|usage)\b/;
const ERROR = /^errors?$/;
/** What has an ID of its own, but is no task. */
const OF_OTHER =
	/\b(?:user|account|org\w*|team|workspace|project|customer|client|app|model|trace|session|log|key|webhook|channel|template|style) \w*(?:id|arn)$/;
/** From this rank on, an ID may be that of the request, which a refusal has, too. */
const OF_ANSWER = 2.5;

/**
 * The names of IDs. The first row that a field is of has its rank: the less, the likelier it is the ID of a task.
 * @param of the field's own name, or that of an `id` with the object that it is in
 * @param values that the field must have
 */
export const ID_NAMES: ReadonlyArray<
	readonly [rank: number, of: 'field' | 'object', names: RegExp, values?: RegExp]
> = [
	[0, 'object', /\btask ?id$/],
	[OF_ANSWER + 1.5, 'object', /\brequest ?id$/],
	[OF_ANSWER + 3.5, 'object', OF_OTHER],
	[1, 'field', /^id$/],
	// AWS names what it starts by an ARN.
	[2, 'field', /(?:id|\barn)$/],
	// An ID that stands alone: new-api answers `{"code":"success","data":"task_4f1…"}`.
	[2.2, 'field', OF_TASK, /^(?=.*\d)[\w-]{6,200}$/],
	[OF_ANSWER + 0.5, 'field', /^name$/, /\boperations\//],
	[OF_ANSWER + 2.5, 'field', /^name$/],
];

/** To take the name of every field apart would be slow. */
const MAY_BE_ID = /id|name|arn|data|output|result|response|task|job|video|generation|prediction/i;

/** The less, the likelier a field has the ID of a task; undefined: it has none. */
function rankOfTask(place: Place): number | undefined {
	const { key, value } = place;
	if (typeof value !== 'number' && !(typeof value === 'string' && /^\S+$/.test(value)))
		return undefined;
	if (!MAY_BE_ID.test(key)) return undefined;
	const [first = '', ...around] = namesOf(place);
	const own = first.replace(/s$/, '');
	const [owner = ''] = around;
	if (around.some((one) => ERROR.test(one))) return undefined;
	const name = /^(?:uu)?id$/.test(own) ? `${owner.replace(/s$/, '')} ${own}` : own;
	const [rank] =
		ID_NAMES.find(
			([, of, names, values]) =>
				names.test(of === 'field' ? own : name) && (values?.test(String(value)) ?? true),
		) ?? [];
	if (rank === undefined) return undefined;
	const isOfRequest = around.some((one) => OF_SUBMISSION.test(one));
	const likeliness = OF_TASK.test(owner) ? 0 : owner === '' ? 0.2 : 0.4;
	return rank + likeliness + (isOfRequest ? 10 : 0);
}

/**
 * A submission, as the interface has it: a paid task is not lost for the name of its ID.
 * @param placeOf gets each inline video in it, and returns the URL that takes its place
 */
export function submissionFrom(answer: unknown, placeOf: (data: string) => string): unknown {
	if (typeof answer !== 'object' || answer === null) return answer;
	const inline = takeInlineVideos(answer).filter(({ inside }) => !isWebAddress(inside.url));
	for (const { data, inside } of inline) inside.url = placeOf(data);
	const data = tasksIn(answer);
	for (const { inside } of inline) Reflect.deleteProperty(inside, 'url');
	return { ...withRead(fieldsOf(answer), { id: idIn, created: numberIn }), data };
}

/** The tasks of the interface's list, or those that are found. */
function tasksIn(answer: unknown): unknown {
	const { data } = fieldsOf(answer);
	const entries: unknown[] = Array.isArray(data) ? data : [];
	if (entries.length > MAX_ENTRIES) return data;
	const listed = entries.flatMap(taskIn);
	if (listed.length > 0) return listed;
	const videos = entries.flatMap((entry) => videoIn(entry, fieldsOf(entry).url));
	// One video may have the ID of its submission, several would be one task.
	const found = videos.length > 1 ? videos : submittedTasks(answer).flatMap(taskIn);
	if (found.length > 0) return found;
	return videos.length > 0 ? videos : videoIn(answer, finishedVideo(answer));
}

/** A finished video without an ID, as a service sends it that makes no tasks: its own URL names it. */
function videoIn(entry: unknown, url: unknown): Fields[] {
	if (!isFields(entry) || !isWebAddress(url)) return [];
	const [address = ''] = url.split(/[?#]/);
	const name = address.replace(/^https?:\/\/|\.\w{3,4}$/gi, '').replace(/\W+/g, '-');
	const id = `without-id-${name.slice(-60)}`;
	return [besideSent({ ...entry, id, status: 'completed', url }, entry)];
}

/** The URL of the finished video that an answer is, without an ID. */
function finishedVideo(answer: unknown): unknown {
	if (isRefusedSubmission(answer, walk(answer))) return undefined;
	const { meaning, url } = findTask(answer, { ids: [], url: '' }) ?? {};
	return meaning === 'completed' ? url : undefined;
}

/** The URL of the finished video that an entry has already; undefined of a task that is still to be made. */
function videoOf(entry: Fields, id: string): string | undefined {
	const { meaning, url } = findTask(entry, { ids: [id], url: '' }) ?? {};
	if (!isWebAddress(url) || meaning !== 'completed') return undefined;
	// Without a status, any other URL may be where to poll the task.
	return plainText(entry.status) !== '' || LINK_TO_FILM.test(url) ? url : undefined;
}

const isWebAddress = (url: unknown): url is string =>
	typeof url === 'string' && /^https?:\/\/\S+$/i.test(url);
const LINK_TO_FILM = /\.(?:mp4|m4v|mov|webm|mkv)(?:$|[?#])/i;

/** An entry with an ID. */
function taskIn(entry: unknown): Fields[] {
	const fields = fieldsOf(entry);
	const id = idIn(fields.id);
	if (typeof id !== 'string' || id === '') return [];
	const said = readStatus(plainText(fields.status), false);
	const status = isStatus(said) ? said : 'processing';
	const url = typeof fields.url === 'string' ? fields.url : null;
	const video = videoOf(fields, id);
	const read = video === undefined ? { status, url } : { status: 'completed', url: video };
	return [besideSent({ ...fields, id, ...read }, fields)];
}

/**
 * The tasks of a submission that has no list of the interface: what has the likeliest ID, and the other entries of its list. A paid
 * task is not lost for the name of its ID.
 */
function submittedTasks(answer: unknown): Fields[] {
	const places = walk(answer);
	const statuses = statusesIn(places);
	const statusBeside = ({ inside }: Place) => inside && statuses.get(inside)?.word;
	const ranked = places.flatMap((place) => {
		const rank = rankOfTask(place);
		if (rank === undefined) return [];
		const isOfTask = statusBeside(place) !== undefined;
		return [{ place, rank: isOfTask ? rank - 0.5 : rank }];
	});
	const [best] = ranked.toSorted((a, b) => a.rank - b.rank);
	if (best === undefined || (best.rank >= OF_ANSWER && isRefusedSubmission(answer, places)))
		return [];
	const same = ranked.filter(({ place }) => place.slot === best.place.slot);
	return same.map(({ place }) => {
		const id = place.value;
		return { ...fieldsOf(place.inside?.value), id, status: statusBeside(place) };
	});
}

function isRefusedSubmission(answer: unknown, places: readonly Place[]): boolean {
	if (!isFields(answer)) return true;
	const { code, success } = answer;
	const isGood = isEmpty(code) || SUCCESS_WORDS.test(plainText(code));
	const isError = ({ key, value }: Place) => ERROR.test(wordsIn(key)) && !isEmpty(value);
	return !isGood || success === false || places.some(isError);
}
