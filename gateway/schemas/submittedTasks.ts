import { namesOf, partsOf, type Place, slotOf, walk } from './answerWalk';
import { statusIn } from './foundTask';
import { type Fields, isEmpty, isFields } from './responseJson';

/** What has an ID of its own, but is no task. */
const NO_TASK =
	/\b(?:user|account|org\w*|team|workspace|project|customer|client|app|model|trace|session|log|key|webhook|channel|template|style) \w*id$/;
const OF_TASK = /^(?:data|output|result|response|task|job|video|generation|prediction)s?$/;
const OF_REQUEST = /^(?:inputs?|param(?:eter)?s|metadata|usage)\b/;
/** From this rank on, an ID may be that of the request, which a refusal has, too. */
const OF_ANSWER = 3;

/** The less, the likelier a field has the ID of a task; undefined: it has none. */
function rankOf(place: Place): number | undefined {
	const { inside, key, value } = place;
	if (typeof value !== 'number' && !(typeof value === 'string' && /^\S+$/.test(value)))
		return undefined;
	const own = partsOf(key).replace(/s$/, '');
	const [, owner = '', ...around] = namesOf(place);
	const name = /^(?:uu)?id$/.test(own) ? `${owner.replace(/s$/, '')} ${own}` : own;
	const hasStatus = inside !== undefined && statusIn(inside) !== undefined;
	const rank = rankOfName(name, own, String(value));
	if (rank === undefined) return undefined;
	const isOfRequest = [owner, ...around].some((one) => OF_REQUEST.test(one));
	const likeliness = OF_TASK.test(owner) ? 0 : owner === '' ? 0.2 : 0.4;
	return rank + likeliness + (hasStatus ? 0 : 0.5) + (isOfRequest ? 10 : 0);
}

function rankOfName(name: string, own: string, value: string): number | undefined {
	if (/\btask ?id$/.test(name)) return 0;
	if (/\brequest ?id$/.test(name)) return OF_ANSWER + 1;
	if (NO_TASK.test(name)) return OF_ANSWER + 3;
	if (own === 'id') return 1;
	if (/id$/.test(own)) return 2;
	if (own === 'name') return /\boperations\//.test(value) ? OF_ANSWER : OF_ANSWER + 2;
	return undefined;
}

/**
 * The tasks of a submission that has no list of the interface: what has the likeliest ID, and the other entries of its list. A paid
 * task is not lost for the name of its ID.
 */
export function submittedTasks(answer: unknown): Fields[] {
	const ranked = walk(answer).flatMap((place) => {
		const rank = rankOf(place);
		return rank === undefined ? [] : [{ place, rank, slot: slotOf(place) }];
	});
	const [best] = [...ranked].sort((a, b) => a.rank - b.rank);
	if (best === undefined || (best.rank >= OF_ANSWER && isRefusal(answer))) return [];
	const same = ranked.filter(({ slot }) => slot === best.slot);
	return same.map(({ place: { inside, value } }) => {
		const fields = isFields(inside?.value) ? inside.value : {};
		return { ...fields, id: value, status: inside && statusIn(inside) };
	});
}

function isRefusal(answer: unknown): boolean {
	if (!isFields(answer)) return true;
	const { code, error, success } = answer;
	const isGood = isEmpty(code) || /^(?:20\d|success|ok)$/i.test(String(code));
	return !isGood || !isEmpty(error) || success === false;
}
