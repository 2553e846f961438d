import type { Played } from '../play/played';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service';
import type { Outage } from '../service/plan';
import { FAILURE } from '../service/answers';
import { type Claim, errorItems, nodeRuns, printable, thrownErrors } from './evidence';

/** HTTP's own names, of responses that are not in the service's form (docs/errors.md: Servers in between). */
const NAMES: Record<number, string> = {
	400: 'bad_request',
	401: 'unauthorized',
	403: 'forbidden',
	404: 'not_found',
	413: 'payload_too_large',
	429: 'rate_limit_exceeded',
	500: 'internal_server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
};
/** What another server says of itself, and not of the request. */
export const OF_OTHERS = [400, 401, 403, 408, 500, 502, 504, 522, 524];
/** Without a body, or with JSON, these are the service's own. */
const OWN: Record<number, string> = {
	400: 'invalid_request_error',
	401: 'invalid_api_key',
	403: 'forbidden',
};
/** Whether an error of a client (4xx) is the service's own. */
export const isOwn = (refusal: string, status: number) =>
	status in OWN && (refusal === '' || refusal.startsWith('{'));
const MAX_CODE = 100;
const MAX_PAUSE_MS = 300_000;

/** As JavaScript says it of a mistake in a program. */
const OF_PROGRAM =
	/Cannot (read|set|destructure|convert) |is not a function|is not iterable|is not defined/;

/** A value that is none, joined to a word. */
const NO_TEXT = /[\w.:](undefined|NaN)\b|\[object /;

/** The same in an error, alone. */
const NO_WORDS = /(?<!\bis )\b(undefined|NaN)\b|\[object /;

/** The ID of a task where a text with an expression is the user's Task ID. */
const ID_OF_TEXT = /(?<=\btask |Not found: |\(\d+\) )undefined\b/g;

/** No error is one of the program itself, and no hint shows a value that is none. */
export function mistakes(played: Played): string[] {
	const hints = nodeRuns(played).flatMap(({ task, node, row }) =>
		(task.hints ?? []).flatMap(({ message }) =>
			NO_TEXT.test(message) ? [`execution ${row.id}, ${node.name}: ${message}`] : [],
		),
	);
	const errors = [...errorItems(played), ...thrownErrors(played)].flatMap(
		({ error, node, row }) => {
			const words = `${error.message} ${error.description}`;
			const hasTextAsId = node.kind === 'video' && node.taskId === 'spaced';
			const ours = hasTextAsId ? words.replaceAll(ID_OF_TEXT, 'unknown') : words;
			const isMistake = OF_PROGRAM.test(ours) || NO_WORDS.test(ours);
			return isMistake ? [`execution ${row.id}, ${node.name}: ${words}`] : [];
		},
	);
	return [...hints, ...errors];
}

/** The error of a video that failed has the words of the service, and its code. */
export function failures(played: Played): string[] {
	const tasks = [...played.truth.tasks.values()];
	return [...errorItems(played), ...thrownErrors(played)].flatMap(({ error, node, row }) => {
		const { message, description, code } = error;
		const [, id] = /could not generate the video of task ([\w.-]+)/.exec(message) ?? [];
		const fault = tasks.find((task) => printable(task.id) === id)?.request.fault;
		if (fault !== 'task-error' && fault !== 'task-text') return [];
		const hasCode = fault === 'task-text' || code === '' || code === FAILURE.code;
		return description.includes(FAILURE.message) && hasCode
			? []
			: [
					`execution ${row.id}, ${node.name}: the service says "${FAILURE.message}" (${FAILURE.code}), and the error "${description}" (${code})`,
				];
	});
}

/** "It was tried 3 times": as often as it was sent. */
export function attempts(played: Played): string[] {
	const { truth, rows, kills, scenario } = played;
	if (rows.length > 1 || kills.length + truth.notConnected.length > 0) return [];
	return errorItems(played).flatMap(({ error, node, item, row, saidAt }) => {
		// After five minutes, what waits fails with the error of another request.
		const isOwn = saidAt - row.startedAt < MAX_PAUSE_MS && error.task_id === undefined;
		// Of an answer, not of the request that brought it.
		if (/^The (model did not answer with JSON|JSON in the model's answer)/.test(error.message))
			return [];
		const isBilled =
			node.kind === 'chat' || (node.kind === 'video' && /^(generate|submit)$/.test(node.operation));
		if (!isOwn || !isBilled || node.tries !== undefined || item === undefined) return [];
		const prompt = promptFor(node, item);
		const isAlone = scenario.items.filter((each) => promptFor(node, each) === prompt).length === 1;
		if (!isAlone || scenario.nodes.indexOf(node) > 0 || scenario.shape === 'agent') return [];
		const sent = truth.requests.filter(
			(each) =>
				/chat|submit/.test(each.endpoint) && each.prompt === prompt && each.sentAt <= saidAt,
		).length;
		const [, told] = /It was tried (\d+) times/.exec(error.description) ?? [];
		return sent === 0 || told === (sent > 1 ? String(sent) : undefined)
			? []
			: [
					`execution ${row.id}: "${prompt}" is said to be tried ${told ?? 1} times; it was sent ${sent} times`,
				];
	});
}

/** What says which connection was not made (docs/errors.md: Codes of the node). */
const OF_CONNECTIONS: Record<Outage['failure'], RegExp> = {
	refused: /^ECONNREFUSED$/,
	'unknown host': /^ENOTFOUND$/,
	'lookup fails': /^EAI_AGAIN$/,
	unreachable: /^EHOSTUNREACH$/,
	silent: /^connect_timeout$/,
	'no TLS': /^(EPROTO|ERR_SSL_\w+)$/,
};
const ANY_CONNECTION = new RegExp(
	Object.values(OF_CONNECTIONS)
		.map(({ source }) => source)
		.join('|'),
);

/** An error about a connection names the failure that there was. */
export function connections(played: Played): string[] {
	const [outage, ...others] = played.scenario.service.outages ?? [];
	if (outage === undefined || outage.host !== undefined || others.length > 0) return [];
	const code = OF_CONNECTIONS[outage.failure];
	return errorItems(played).flatMap(({ error, node, row }) => {
		const isOther = ANY_CONNECTION.test(error.code) || error.code === 'no_connection';
		return isOther && !code.test(error.code)
			? [
					`execution ${row.id}, ${node.name}: an error has the code ${error.code}; the connection was "${outage.failure}"`,
				]
			: [];
	});
}

/** An error has the status, the code and the pause that the service sent. */
export function codes(played: Played): string[] {
	return errorItems(played).flatMap((claim) => {
		const { error, node, row } = claim;
		const { http_status: status, code, message, description } = error;
		if (typeof status !== 'number' || status < 400 || code === 'download_refused') return [];
		const sent = requestsOf(played, claim)?.filter((each) => each.status === status);
		if (sent === undefined) return [];
		const what = `execution ${row.id}, ${node.name}: an error`;
		if (sent.length === 0)
			return [`${what} has the status ${status}, which the service did not send`];
		// Of a body that did not arrive, nobody knows the code.
		if (sent.some(({ whole }) => !whole)) return [];
		const said = sent.map(({ refusal }) => codeIn(refusal));
		// A long one is cut off, and the key is taken out of it.
		if (said.some((one) => one !== undefined && one.length > MAX_CODE)) return [];
		const named = sent.map(
			({ refusal }, index) =>
				said[index] ??
				(isOwn(refusal, status) ? OWN[status] : undefined) ??
				NAMES[status] ??
				`http_${status}`,
		);
		const isForeign =
			OF_OTHERS.includes(status) &&
			sent.every(({ refusal }, index) => !said[index] && !isOwn(refusal, status));
		return [
			...(named.includes(code)
				? []
				: [`${what} has the code ${code}; the service sent ${status} ${named.join(', ')}`]),
			...(isForeign && !message.startsWith('A server between n8n and the service')
				? [`${what} passes a page of another server for the service's own: ${message}`]
				: []),
			...pauses(description, sent, code).map((how) => `${what} ${how}`),
		];
	});
}

/** The requests that an error may be about; undefined where that cannot be told. */
export function requestsOf(
	{ truth, scenario }: Played,
	{ error, node, item, saidAt }: Claim,
): TruthRequest[] | undefined {
	const before = truth.requests.filter(({ at }) => at <= saidAt);
	if (node.kind === 'list') return before.filter(({ endpoint }) => endpoint === 'models');
	const ids = [error.task_id, truth.tasks.get(error.task_id ?? '')?.reportedId];
	if (error.task_id !== undefined) return before.filter(({ taskId }) => ids.includes(taskId));
	if (item === undefined || scenario.shape === 'agent') return undefined;
	// What waits for a limit, or for the end of an outage, fails with the response to another request.
	if ([429, 500, 502, 503].includes(Number(error.http_status)))
		return before.filter(
			({ endpoint }) => endpoint === (node.kind === 'video' ? 'submit' : 'chat'),
		);
	return before.filter(({ prompt }) => prompt === promptFor(node, item));
}

/** The code of one of the two documented bodies; undefined for any other body. */
export function codeIn(body: string): string | undefined {
	try {
		const { code, error } = JSON.parse(body) as { code?: unknown; error?: { code?: unknown } };
		const found = code ?? error?.code;
		return typeof found === 'string' ? found : undefined;
	} catch {
		return undefined;
	}
}

const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** A time of a reset may be over when the response arrives: then there is nothing to wait for. */
const MAX_LATENCY_S = 4;

/** "The service asks to retry after 20 seconds": as long as it did, rounded up. */
function pauses(description: string, sent: TruthRequest[], code: string): string[] {
	const [words, count, unit = ''] =
		/asks to retry after (\S+) (second|minute|hour|day)?/.exec(description) ?? [];
	const asked = sent.flatMap(({ retryAfter }) =>
		retryAfter === undefined || retryAfter <= 0 ? [] : [retryAfter],
	);
	if (words === undefined) {
		const isTold =
			sent.length > asked.filter((seconds) => seconds > MAX_LATENCY_S).length ||
			sent.some(({ status }) => status !== 429) ||
			code === 'quota_not_enough';
		return isTold ? [] : [`does not say how long to wait: ${description}`];
	}
	const length = SECONDS[unit] ?? NaN;
	const told = Number(count) * length;
	// Times of HTTP are whole seconds, and a response that names a moment takes a while.
	const lateS = Math.max(...sent.map(({ at, heardAt = at }) => heardAt - at)) / 1000;
	const isRight = asked.some(
		(seconds) => told >= seconds - lateS - 1 && told <= seconds + length + 1,
	);
	return isRight
		? []
		: [`says "${words}"; the service asked for ${asked.join(', ') || 'nothing'} (seconds)`];
}
