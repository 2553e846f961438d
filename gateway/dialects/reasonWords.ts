import { type Fields, isEmpty, isFields, plainText } from '../schemas/responseJson';
import { jsonIn } from './values';

/** Levels that are read, JSON inside a text among them: no service hides its reason deeper. */
const MAX_REASON_DEPTH = 10;
/** Fields and entries that are looked at in all, and the entries of one list. */
const MAX_LOOKED_AT = 5_000;
const MAX_LISTED = 20;

/** The name of a field with words about a failure, wherever it is, and of one that has them only in an object with such a name. */
const REASON_FIELD = /message|msg|reason(?!ing)|detail|error|failure/i;
const REASON_INSIDE =
	/^(?:description|cause|raw|text|title|failed_generation|(?:\w{1,40}_)?guardrail_response)$/i;
/** The name of a field about the failure that has no words. */
const NO_WORDS = /(?:code|type|class|name|id|ur[il]|links?|status|time|count)$|^finish/i;
/** A map from the name of a refused field to the texts about it, as ASP.NET and Laravel send it. */
const BY_FIELD = /errors$/i;
/** Texts that Python and JavaScript make of a missing value. */
export const SAYS_NOTHING = /^(?:none|null|undefined|)$/i;
/** The beginning of a page. */
const PAGE_START = /^\s{0,9}<(?:!|[a-z][a-z\d]{0,9}[\s>/])/i;
/** Codes of success, which MiniMax, iFlytek and others send in each response. */
export const SUCCESS_WORDS = /^(?:0+|20\d|success|succeed(?:ed)?|ok)$/i;

/**
 * What a body of any shape says of a failure: of a refused request, or of a failed task. The words that are nearest to the top come
 * first, and what is inside them follows: words that a gateway passes on, also as JSON in a text, and refused fields.
 * @param body parsed JSON, or a text
 * @returns all words, of any length: the key is removed before they are cut; empty if nothing in the body has words
 */
export function reasonWords(body: unknown): string {
	let lookedAt = 0;
	/** @param isInside whether it is in an object whose name tells of a failure */
	const wordsIn = (value: unknown, name: string, isInside: boolean, depth: number): string => {
		lookedAt += 1;
		if (lookedAt > MAX_LOOKED_AT || depth > MAX_REASON_DEPTH) return '';
		const within = (part: unknown, of = name, isReasonInside = isInside) =>
			wordsIn(part, of, isReasonInside, depth + 1);
		if (typeof value === 'string') {
			const json = jsonIn(value);
			const words = json === undefined ? '' : within(json);
			return words || (isReason(name) || (isInside && hasWords(name)) ? wordsOfText(value) : '');
		}
		if (Array.isArray(value)) {
			const listed = value.slice(0, MAX_LISTED).map((entry) => within(entry));
			return joined(listed, '; ');
		}
		// A message of a conversation is what someone said, not a reason.
		if (!isFields(value) || 'role' in value) return '';
		const isReasonInside = isInside || isReason(name) || isProblem(value);
		const byField = BY_FIELD.test(name) && !Object.keys(value).some(hasWords);
		const parts = inOrder(value).map(([field, part]) => {
			if (!byField) return within(part, field, isReasonInside);
			const words = within(part, name, true);
			return words && `${field}: ${words}`;
		});
		return joined([placeOfReason(value), ...parts], byField ? '; ' : ': ');
	};
	return wordsIn(body, typeof body === 'string' ? 'message' : '', false, 0);
}

/** The words of a text; empty for a missing value, and for a page. */
function wordsOfText(text: string): string {
	const words = text.trim();
	return SAYS_NOTHING.test(words) || PAGE_START.test(text) ? '' : words;
}

function hasWords(name: string): boolean {
	return isReason(name) || REASON_INSIDE.test(name);
}

function isReason(name: string): boolean {
	return REASON_FIELD.test(name) && !NO_WORDS.test(name);
}

/** The texts of an object come before what is deeper. Those of one that tells of a success are no reason. */
function inOrder(fields: Fields): Array<[string, unknown]> {
	const entries = Object.entries(fields).slice(0, MAX_LOOKED_AT);
	const isText = ([, field]: [string, unknown]) => typeof field === 'string';
	const deeper = entries.filter((entry) => !isText(entry));
	return isSuccess(fields) ? deeper : [...entries.filter(isText), ...deeper];
}

/** "Problem details" (RFC 9457), whose title has words. */
function isProblem({ status, title, detail, errors }: Fields): boolean {
	return typeof title === 'string' && (typeof status === 'number' || Boolean(detail ?? errors));
}

/** FastAPI names the field that it refuses in `loc`. */
function placeOfReason({ loc }: Fields): string {
	return Array.isArray(loc) ? loc.slice(0, MAX_LISTED).join('.') : '';
}

/** Whether a body tells by its code, which some services send in each response, that it is no failure. */
export function isSuccess({ code, status_code = code, error }: Fields): boolean {
	return SUCCESS_WORDS.test(plainText(status_code)) && isEmpty(error);
}

/** Texts without those that an earlier one contains. */
function joined(texts: string[], between: string): string {
	const kept: string[] = [];
	for (const text of texts.filter(Boolean).slice(0, MAX_LISTED))
		if (!kept.some((earlier) => earlier.includes(text))) kept.push(text);
	return kept.join(between);
}
