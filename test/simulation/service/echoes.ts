import { ApiError, apiErrorResponse } from '../../../simulator/apiError';
import { END, head, part } from '../../../simulator/delivery';
import { damage } from '../../../simulator/faults/effects/damage';
import { replace } from '../../../simulator/faults/effects/replace';
import type { Effect } from '../../../simulator/faults/fault';

// A service that repeats the Authorization header, in a form that some software gives to it.

const hex = (character: string) => character.charCodeAt(0).toString(16);
const each = (write: (character: string) => string) => (text: string) =>
	[...text].map(write).join('');
const percent = each((character) => `%${hex(character)}`);

/** After so many characters, which move it within base64. */
const FORMS = {
	plain: (text: string) => text,
	json: each((character) => `\\u00${hex(character)}`),
	jsonTwice: each((character) => `\\\\u00${hex(character)}`),
	script: each((character) => `\\x${hex(character)}`),
	url: percent,
	urlTwice: (text: string) => percent(text).replaceAll('%', '%25'),
	html: each((character) => `&#${character.charCodeAt(0)};`),
	htmlHex: each((character) => `&#x${hex(character)};`),
	htmlTwice: each((character) => `&amp;#x${hex(character)};`),
	base64: (text: string) => Buffer.from(text).toString('base64'),
	base64url: (text: string) => Buffer.from(text).toString('base64url'),
} as const;

export const ECHO_FORMS = Object.keys(FORMS) as Array<keyof typeof FORMS>;

export interface Echo {
	as: keyof typeof FORMS;
	/** Characters of the text before the key. */
	before: number;
	/** In a response that is good in all else. */
	isGood?: boolean | undefined;
}

/** What an error of such a service says around the key. */
export const AROUND = { before: 'The header was', after: 'and no other' };

export function echo({ as, before, isGood }: Echo): Effect {
	const written = (authorization: string) => FORMS[as](`${'-'.repeat(before % 3)}${authorization}`);
	if (isGood)
		return damage(({ events, headers, status, body }, { authorization }) => {
			const text = JSON.stringify(written(authorization)).slice(1);
			const parts = events?.map((each) => echoing(each, text)) ?? [echoing(body.toString(), text)];
			return [head(status, headers), ...parts.map((each) => part(each)), END];
		});
	return replace(({ shape, authorization }) => {
		const words = [AROUND.before, 'x'.repeat(before), written(authorization), AROUND.after].join(
			' ',
		);
		return apiErrorResponse(new ApiError(401, 'invalid_api_key', words), shape);
	});
}

/** In the id of an answer, or the prompt of a video. Long numbers stay as they are. */
function echoing(json: string, text: string): string {
	return json.replace(/"(id":"chatcmpl|revised_prompt":")(?:[^"\\]|\\.)*"/g, `"$1-${text}`);
}
