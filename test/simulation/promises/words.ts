import type { Played } from '../play/played';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service';
import { AROUND } from '../service/echoes';
import { codeIn, isOwn, OF_OTHERS, requestsOf } from './codes';
import { type Claim, errorItems, thrownErrors } from './evidence';

/** An error has the words of the response, says whose they are, and shows no part of a page but its text. */
export function words(played: Played): string[] {
	const claims = errorItems(played);
	return [
		...[...claims, ...thrownErrors(played)].flatMap(tags),
		...claims.flatMap((claim) => [
			...quoted(played, claim),
			...pauseAsked(played, claim),
			...neverSent(played, claim),
		]),
	];
}

const TAG = /<\/?[a-z]\w*[^<>]*>/i;

function tags({ error: { message, description }, row, node }: Claim): string[] {
	const [tag] = TAG.exec(`${message} ${description}`) ?? [];
	return tag === undefined ? [] : [`execution ${row.id}, ${node.name}: an error shows ${tag}`];
}

const PLAIN = /^[\w .:,'“”-]{1,200}$/;

/** What a reader gets of a response: its message, or the text of a page. */
function textOf(refusal: string): string | undefined {
	try {
		const { message, error } = JSON.parse(refusal) as { message?: unknown; error?: unknown };
		const inside = (error as { message?: unknown } | undefined)?.message;
		return [inside, message, error].find((each) => typeof each === 'string');
	} catch {
		const [, text] = /<(?:h1|p)>([^<]*)</.exec(refusal) ?? [];
		return TAG.test(refusal) ? text : refusal;
	}
}

const showsKey = (text: string) => text.includes('sk-') || text.includes(AROUND.before);

function quoted(played: Played, claim: Claim): string[] {
	const { error, row, node } = claim;
	const { http_status: status, description, code } = error;
	// A redirect says where to; a download is another server's.
	if (typeof status !== 'number' || status < 400 || /^download_/.test(code)) return [];
	const sent = requestsOf(played, claim)?.filter((each) => each.status === status) ?? [];
	// The key is cut out of what repeats it.
	if (sent.some(({ fault = '' }) => fault.includes('echo'))) return [];
	const texts = sent.map(({ refusal, whole }) => (whole ? textOf(refusal) : undefined));
	const isPlain = texts.every((text) => text !== undefined && PLAIN.test(text) && !showsKey(text));
	// A task that the workflow submitted has advice of its own.
	if (sent.length === 0 || !isPlain || code === 'task_not_found') return [];
	const quotes = sent.map((each, index) => `${speakerOf(each)} says: ${texts[index]}`);
	return quotes.some((quote) => description.includes(quote))
		? []
		: [`execution ${row.id}, ${node.name}: ${quotes[0]}. The error: ${description}`];
}

/** A load balancer responds 503 when it has waited so long. */
const LATE_MS = 10_000;

/** A response that is not in the service's form may be another server's. */
function speakerOf({ status = 0, refusal, sentAt, heardAt = sentAt }: TruthRequest): string {
	const isLate = status === 503 && heardAt - sentAt > LATE_MS;
	const isOther = codeIn(refusal) === undefined && !isOwn(refusal, status);
	const isForeign = isOther && (OF_OTHERS.includes(status) || isLate);
	return isForeign ? 'The server in between' : 'The service';
}

/** The seconds that an error item has for another node, and the reason of a filter. */
function pauseAsked(played: Played, claim: Claim): string[] {
	const { error, row, node } = claim;
	const { http_status: status, retry_after: told } = error;
	if (typeof status !== 'number' || told === undefined) return [];
	const sent = requestsOf(played, claim)?.filter((each) => each.status === status) ?? [];
	const isRight = sent.some(({ retryAfter = NaN, at, heardAt = at }) => {
		const lateS = (heardAt - at) / 1000 + 1;
		return told >= retryAfter - lateS && told <= retryAfter + 1;
	});
	return isRight || sent.length === 0
		? []
		: [
				`execution ${row.id}, ${node.name}: retry_after is ${told}; the service asked for ${sent.map(({ retryAfter }) => retryAfter).join(', ')}`,
			];
}

/** Failures after which nobody can have received the request. */
const BEFORE_SENDING = /^(refused|unreachable|unknown host|lookup fails)$/;

/** What never reached the service is not said to be billed, perhaps. */
function neverSent({ truth, scenario, rows }: Played, claim: Claim): string[] {
	const { error, item, node, row } = claim;
	const isOnlyThat = truth.notConnected.every(({ failure }) => BEFORE_SENDING.test(failure));
	if (error.may_have_been_accepted !== true || item === undefined || rows.length > 1) return [];
	if (!isOnlyThat || !/chat|video/.test(node.kind) || scenario.shape === 'agent') return [];
	const prompt = promptFor(node, item);
	const isSent = truth.requests.some(
		(each) => each.prompt === prompt && /chat|submit/.test(each.endpoint),
	);
	return isSent
		? []
		: [
				`execution ${row.id}, ${node.name}: "${prompt}" never reached the service, and its error (${error.code}) says that it may be billed`,
			];
}
