import { type Asked, isWithin, type Place, walk } from './answerWalk';
import { type Film, filmsIn, filmsOf, IS_ADDRESS, IS_FILM } from './films';
import { type Fields, isEmpty, isFields, plainText } from '../schemas/responseJson';
import { SAYS_NOTHING, reasonWords, SUCCESS_WORDS } from './reasonWords';
import { isKnown, meaningOfStatus, statusField } from './statusWords';
import { wordsIn } from './values';
import type { VideoTask } from '../schemas/video';

/** A status word, and the object that it is about. */
interface TaskWords {
	task: Place;
	word: string;
	meaning: ReturnType<typeof meaningOfStatus>;
	/** 0: the name of its field says that it is a status. */
	rank: number;
}

/** The rank of a status that is a number. */
const NUMBER = 3;
/** An operation of Google says `done` only when it is. */
const OPERATION = /(?:^|\/)operations\/[^/]+$/;
/** To take the name of every field apart would be slow. */
const NAMED_FIELDS = /err|fail|reason|code/i;
const REASON = /\b(?:error|fail(?:ed|ure)?)\b|(?<!finish )\breasons?$/;

/** The status word that a field is. */
function saidBy({ key, value, inside, isAsked }: Place): TaskWords[] {
	const field = statusField(key);
	if (field === undefined || inside === undefined || !isFields(inside.value)) return [];
	// `status: {status_str: "success"}` (ComfyUI) is the status of the object around it.
	const around = statusField(inside.key)?.isStatus ? inside.inside : undefined;
	const isInStatus = isFields(around?.value);
	const task = around !== undefined && isInStatus ? around : inside;
	const says = (said: string, rank: number) => [
		{ task, word: said, meaning: meaningOfStatus(said), rank },
	];
	if (typeof value === 'boolean' && field.isEnd)
		return says(value ? 'done' : 'processing', key === 'done' ? 0 : 1);
	const word = typeof value === 'boolean' ? '' : plainText(value).trim();
	// A number means something else in each service.
	if (/^\d+$/.test(word) && field.mayBeNumber) return isAsked ? says(word, NUMBER) : [];
	if (word === '' || !field.mayBeStatus) return [];
	if (field.isStatus || isInStatus) return says(word, 0);
	return says(word, 2).filter(({ meaning }) => isKnown(meaning));
}

/** The status words of all objects. */
export function statusesIn(places: readonly Place[]): Map<Place, TaskWords> {
	const all = places.flatMap(saidBy).sort((a, b) => b.rank - a.rank);
	return new Map(all.map((said) => [said.task, said]));
}

/** The status of the task: the one that was asked for, then the one nearest to the top. */
function chosen(places: readonly Place[], films: readonly Film[]): TaskWords[] {
	const order = ({ rank, task }: TaskWords) => 2 * rank + (task.isAsked ? 0 : 1);
	const all = [...statusesIn(places).values()].sort((a, b) => order(a) - order(b));
	const [first] = all;
	if (first === undefined) return [];
	// Gateways wrap a task in an object that says "success" of the poll.
	const isOfTask = ({ task, meaning }: TaskWords) =>
		isKnown(meaning) &&
		(meaning !== 'completed' || films.some(({ place }) => isWithin(place, task)));
	const said = first.task.isAsked ? first : (all.find(isOfTask) ?? first);
	const parts = all.filter(({ task, rank }) => rank === said.rank && task.slot === said.task.slot);
	// A task whose parts have a status each (Higgsfield) has ended when all have.
	const shown =
		parts.find(({ meaning }) => meaning !== 'completed' && meaning !== 'failed') ??
		parts.find(({ meaning }) => meaning === 'completed');
	return [shown ?? said, ...parts];
}

/** What an answer says of a task. */
export interface FoundTask {
	/** The object of the task, as it was sent. */
	task: Fields;
	id: unknown;
	/** Of its status. */
	word: string;
	meaning: TaskWords['meaning'];
	url: unknown;
	/** The addresses of further videos of the same task. */
	others: string[];
	error: unknown;
	/** What the answer says of a failure, in whichever fields. */
	failure: VideoTask['failure'];
}

/**
 * Finds the task that was asked for, wherever an answer has it: the object with a status word that is nearest to the top, and never
 * another task. Its video is found by what it is.
 */
export function findTask(answer: unknown, asked: Asked): FoundTask | undefined {
	const places = walk(answer, asked);
	const films = filmsIn(places, asked.url);
	const [said, ...parts] = chosen(places, films);
	const task = said?.task ?? places.find(({ isAsked }) => isAsked) ?? places[0];
	if (task === undefined || !isFields(task.value)) return undefined;
	const whole = (parts.length > 1 && task.inside) || task;
	const [url, ...others] = filmsOf(films, whole, task);
	const isAsked = places.some((place) => place.isAsked);
	const isWord = said !== undefined && said.rank < NUMBER;
	const ended = isWord ? undefined : withoutStatus(task.value, isAsked, url ? films : []);
	const word = ended ?? said?.word;
	if (word === undefined) return undefined;
	const meaning = meaningOfStatus(word);
	const { id, task_id, taskId, url: sent } = task.value;
	const kept = typeof sent === 'string' && IS_ADDRESS.test(sent) ? null : sent;
	return {
		task: task.value,
		id: isAsked ? asked.ids[0] : (task_id ?? taskId ?? id),
		...{ word, meaning, url: url ?? kept, others },
		...failureIn(answer, places, whole, meaning),
	};
}

/** "null until a result exists" (Video submission response): the URL is the end of a task without a status. */
function withoutStatus(
	{ progress, name, error }: Fields,
	isAsked: boolean,
	films: readonly Film[],
): string | undefined {
	const percent = Number.parseFloat(plainText(progress));
	const isTask = isAsked || !Number.isNaN(percent) || films.some(({ rank }) => rank < IS_FILM + 2);
	if (films.length > 0 && !(percent < 100)) return isTask ? 'completed' : undefined;
	const isOperation = OPERATION.test(plainText(name)) && isEmpty(error);
	return isOperation || (isAsked && percent < 100) ? 'processing' : undefined;
}

/** The `error` of a task, or what it has instead, and all that the answer says of a failure. */
function failureIn(
	answer: unknown,
	places: readonly Place[],
	whole: Place,
	meaning: TaskWords['meaning'],
): Pick<FoundTask, 'error' | 'failure'> {
	const ofTask = places.filter((place) => NAMED_FIELDS.test(place.key) && isWithin(place, whole));
	const told =
		ofTask.find(({ key, value }) => key === 'error' && !isEmpty(value)) ??
		ofTask.find(
			({ key, value }) => REASON.test(wordsIn(key)) && typeof value !== 'number' && !isEmpty(value),
		);
	const mayBeFailure = meaning === 'failed' || meaning === 'unclear';
	if (told === undefined && !mayBeFailure) return { error: undefined, failure: undefined };
	const words = reasonWords(whole.value) || reasonWords(answer);
	const code = [...ofTask, ...places].map(codeIn).find(Boolean);
	const given = places.find(({ key, inside }) => key === 'reason' && inside?.key === 'data')?.value;
	const reason = typeof given === 'string' ? given : undefined;
	return { error: told?.value ?? (words || undefined), failure: { words, code, reason } };
}

/** The code of an error. A number that its name does not call an error's may say that all went well. */
function codeIn({ key, value }: Place): string | undefined {
	const [isCode, owner] = /^(?:(err(?:or)?|fail(?:ure)?|status) )?code$/.exec(wordsIn(key)) ?? [];
	if (isCode === undefined) return undefined;
	const text = typeof value === 'string' || (value && owner) ? plainText(value) : '';
	const isNone =
		SAYS_NOTHING.test(text) || SUCCESS_WORDS.test(text) || (!owner && /^\d+$/.test(text));
	return isNone ? undefined : text;
}
