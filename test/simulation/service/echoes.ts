import { ApiError, apiErrorResponse } from '../../../simulator/apiError';
import { END, head, part } from '../../../simulator/delivery';
import { damage } from '../../../simulator/faults/effects/damage';
import { replace } from '../../../simulator/faults/effects/replace';
import type { Effect } from '../../../simulator/faults/fault';

// A service that repeats the Authorization header.

export interface Echo {
	/** Characters of the text before the key. */
	before: number;
	/** In a response that is good in all else. */
	isGood?: boolean | undefined;
}

/** What an error of such a service says around the key. */
export const AROUND = { before: 'The header was', after: 'and no other' };

export function echo({ before, isGood }: Echo): Effect {
	if (isGood)
		return damage(({ events, headers, status, body }, { authorization }) => {
			const text = JSON.stringify(authorization).slice(1);
			const parts = events?.map((each) => echoing(each, text)) ?? [echoing(body.toString(), text)];
			return [head(status, headers), ...parts.map((each) => part(each)), END];
		});
	return replace(({ shape, authorization }) => {
		const words = [AROUND.before, 'x'.repeat(before), authorization, AROUND.after].join(' ');
		return apiErrorResponse(new ApiError(401, 'invalid_api_key', words), shape);
	});
}

/** In the id of an answer, or the prompt of a video. Long numbers stay as they are. */
function echoing(json: string, text: string): string {
	return json.replace(/"(id":"chatcmpl|revised_prompt":")(?:[^"\\]|\\.)*"/g, `"$1-${text}`);
}
