import type { Played } from '../play/played';
import type { TruthRequest } from '../service';
import { isGoodForm } from '../service/formNames';
import { type Claim, errorItems, wasHeard } from './evidence';
import { isJson } from './saidAnswers';

/** What an error is about: requests that were sent before it. */
interface Given {
	played: Played;
	claim: Claim;
	/** Of its endpoint, or polls and downloads. Those of other items, too: what waits may fail with the response to another request. */
	sent: TruthRequest[];
	downloads: TruthRequest[];
	/** A connection was never completed, which the verified build does not tell from a lost one (docs/verification.md). */
	unmade: boolean;
}

const isBroken = ({ whole }: TruthRequest) => !whole;
/** A success status with something else than a response of the service. */
const isOdd = ({ status = 0, fault = 'slow' }: TruthRequest) =>
	status >= 200 && status < 300 && fault !== 'slow' && !isGoodForm(fault);
const hasNoTask = ({ endpoint, accepted, tasks }: TruthRequest) =>
	endpoint === 'submit' && accepted && tasks.length === 0;
const hasStatus =
	(claim: Claim) =>
	({ status }: TruthRequest) =>
		status === claim.error.http_status;
const never = () => false;

/** What must have happened before an error may have a code of the node (docs/errors.md: Codes of the node). */
const CAUSES: Record<string, (given: Given) => boolean> = {
	spending_limit: ({ claim: { node } }) =>
		(node.kind === 'chat' || node.kind === 'video') && node.maxBillable !== undefined,
	cancelled: ({ played }) => played.stops.size > 0 || played.scenario.timeoutWorkflow !== undefined,
	node_error: ({ played, claim: { node, item } }) =>
		item === undefined ||
		item.bad !== undefined ||
		('prompt' in node && node.prompt === 'missing') ||
		('maxBillable' in node && node.maxBillable === 'nothing') ||
		played.scenario.events.some(({ what }) => what === 'deleteCredential'),
	address_blocked: never,
	download_blocked: never,
	proxy_login: never,
	proxy_refused: never,
	proxy_unreachable: never,
	not_http: never,
	storage_failed: never,
	connection_lost: ({ sent, unmade }) => unmade || sent.some(isBroken),
	timeout: ({ sent, unmade }) => unmade || sent.some(isBroken),
	stream_broken: ({ sent }) => sent.some((each) => isBroken(each) || isOdd(each)),
	damaged_answer: ({ sent }) => sent.some(({ fault = '' }) => fault.endsWith('-gzip')),
	malformed_answer: ({ sent, played, claim: { node } }) =>
		sent.some((each) => isOdd(each) || hasNoTask(each)) ||
		(node.kind === 'chat' && node.jsonOutput === true && !isJson(played.scenario, node)),
	service_error: ({ sent }) => sent.some(isOdd),
	redirect_refused: ({ sent, claim }) => sent.some(hasStatus(claim)),
	submission_lost: ({ sent, unmade }) =>
		unmade || sent.some((each) => !wasHeard(each) || isOdd(each) || hasNoTask(each)),
	task_failed: ({ played }) =>
		[...played.truth.tasks.values()].some(({ ending }) => ending === 'failed'),
	download_failed: ({ played, downloads }) =>
		downloads.some((each) => isBroken(each) || (each.status ?? 0) < 400) ||
		played.truth.notConnected.some(({ endpoint }) => endpoint === 'download'),
	download_refused: ({ played, claim, downloads }) => {
		const task = played.truth.tasks.get(claim.error.task_id ?? '');
		const hasUrl = task?.plan.urlLagSeconds === undefined;
		return typeof claim.error.http_status === 'number'
			? downloads.some(hasStatus(claim))
			: !hasUrl || downloads.some(({ fault, status }) => fault !== undefined && status === 200);
	},
};

/** An error with a code of the node has the cause that this code tells. */
export function causes(played: Played): string[] {
	return errorItems(played).flatMap((claim) => {
		const { error, node, row } = claim;
		const isCaused = CAUSES[error.code];
		if (isCaused === undefined || isCaused(givenFor(played, claim))) return [];
		return [
			`execution ${row.id}, ${node.name}: nothing caused the error ${error.code}: ${error.message}`,
		];
	});
}

const ENDPOINTS = { chat: /chat/, model: /chat/, list: /models/, video: /submit|poll/ };

function givenFor(played: Played, claim: Claim): Given {
	const { error, node, saidAt } = claim;
	const endpoints = error.task_id === undefined ? ENDPOINTS[node.kind] : /poll/;
	const { scenario, truth } = played;
	const before = truth.requests.filter(({ sentAt }) => sentAt <= saidAt);
	return {
		played,
		claim,
		sent: before.filter(({ endpoint }) => endpoints.test(endpoint)),
		downloads: before.filter(
			({ endpoint, taskId }) => endpoint === 'download' && taskId === error.task_id,
		),
		unmade:
			scenario.build === 'verified' &&
			truth.notConnected.some(
				({ endpoint, failure, at }) =>
					endpoints.test(endpoint) && failure === 'silent' && at <= saidAt,
			),
	};
}
