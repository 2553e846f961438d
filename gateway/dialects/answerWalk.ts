import { type Fields, isFields } from '../schemas/responseJson';
import { isOfStatus } from './statusWords';
import { jsonIn, wordsIn } from './values';

/** Levels and values that are walked over: a list of all tasks of an account has some thousands of values. */
const MAX_WALK_DEPTH = 16;
const MAX_PLACES = 20_000;

/** What a poll asked for. */
export interface Asked {
	/** The ID of the task, as it is sent and as it is shown without the key. */
	ids: readonly string[];
	/** The URL of the poll. */
	url: string;
}

/** A value in an answer, and how it is reached. */
export interface Place {
	value: unknown;
	/** The name of its field. An entry of a list has that of the list. */
	key: string;
	/** The object or list that it is in. */
	inside: Place | undefined;
	/** The same text for all entries of a list, and for the same field of each. */
	slot: string;
	depth: number;
	/** Whether it is part of the task that was asked for: an object around it has its ID. */
	isAsked: boolean;
}

/**
 * All values of an answer, those nearest to the top first, also of JSON that is a text in it. Of a list of tasks, only the
 * one that was asked for.
 */
export function walk(answer: unknown, asked?: Asked): Place[] {
	const top = { value: answer, key: '', inside: undefined, slot: '', depth: 0 };
	const places: Place[] = [{ ...top, isAsked: holdsId(answer, asked) }];
	for (const place of places) {
		const { depth, value, isAsked } = place;
		if (depth === MAX_WALK_DEPTH || typeof value !== 'object' || value === null) continue;
		for (const [name, field] of entriesOf(place, asked)) {
			if (places.length === MAX_PLACES) return places;
			const inner = typeof field === 'string' ? (jsonIn(field) ?? field) : field;
			const isOurs = isAsked || asked?.ids.includes(name) === true || holdsId(inner, asked);
			const [key, part] = Array.isArray(value) ? [place.key, '*'] : [name, name];
			const slot = `${place.slot}/${part}`;
			places.push({ value: inner, key, inside: place, slot, depth: depth + 1, isAsked: isOurs });
		}
	}
	return places;
}

/** Whether an object has the ID that was asked for, in whichever field; a number may be anything but in a field for an ID. */
function holdsId(value: unknown, asked: Asked | undefined): boolean {
	if (asked === undefined || !isFields(value)) return false;
	return Object.entries(value).some(([name, field]) => {
		const isNumber = typeof field === 'number';
		if (!isNumber && typeof field !== 'string') return false;
		return asked.ids.includes(String(field)) && (!isNumber || /\bid$/.test(wordsIn(name)));
	});
}

function entriesOf({ value, isAsked }: Place, asked: Asked | undefined): Array<[string, unknown]> {
	const entries = Object.entries(
		Array.isArray(value) ? value.slice(0, MAX_PLACES) : (value as Fields),
	);
	if (!asked || isAsked || !Array.isArray(value)) return entries;
	const ours = entries.filter(([, entry]) => holdsId(entry, asked));
	return ours.length > 0 ? ours : entries.filter(([, entry]) => !isOtherTask(entry));
}

/** An object with an ID and no status may be a file. */
function isOtherTask(entry: unknown): boolean {
	if (!isFields(entry)) return false;
	const names = Object.keys(entry);
	return (
		names.some((name) => /^task_?id$/i.test(name)) || ('id' in entry && names.some(isOfStatus))
	);
}

/** The names of the fields that lead to a place, its own first. */
export function namesOf({ inside, key }: Place): string[] {
	if (inside === undefined) return [];
	return [...(Array.isArray(inside.value) ? [] : [wordsIn(key)]), ...namesOf(inside)];
}

export function isWithin(place: Place, whole: Place): boolean {
	return place === whole || (place.inside !== undefined && isWithin(place.inside, whole));
}
