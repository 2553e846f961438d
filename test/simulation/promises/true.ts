import { promptFor } from '../scenario/workflow';
import type { Played } from '../play/played';
import { errorItems, thrownErrors, wasHeard } from './evidence';
import { ofMaxWait } from './maxWait';
import type { Promised } from './promise';

/** No error says what the service knows to be otherwise. */
export const isTrue: Promised = {
	name: 'True',
	says: 'No error says of a task or a request what the service knows to be otherwise.',
	except: ['A poll shows the state of that moment: a video may be finished a moment later.'],
	alsoKeptBy: ['test/reliability/taskFaults.test.ts', 'test/gateway/serviceError.test.ts'],
	check: (played) => [
		...ofMaxWait(played),
		...givenUp(played),
		...accepted(played),
		...stopped(played),
		...retryIsOffered(played),
		...lists(played),
	],
};

/** Pages of other servers in a row, after which the URL of the polls may be wrong. */
const MAX_PAGES = 5;

/** What one unlucky poll meets, and the next one does not. */
const TRANSIENT =
	/^(lost|reset|cut|bad-gzip|slow|hang|stalled|rate-limit|internal-error|unavailable|html-50)/;
const PAGE = /^(html-(4|200)|redirect)/;
/** n8n's helper does not tell that a response ends too early (docs/reliability.md): what arrived is no JSON, as of a page. */
const PAGE_IN_VERIFIED_BUILD = /^(html-(4|200)|redirect|cut-gzip)/;
/** Errors of what comes after the polls, or that say that the wait is over. */
const OTHER_ERRORS = /^(wait_timeout|download_|storage_|task_failed)/;

/** A wait that was given up for one poll that failed, although the task was finished in time. */
function givenUp(played: Played): string[] {
	// A second try that has no credential cannot wait.
	if (played.scenario.events.some(({ what }) => what === 'deleteCredential')) return [];
	const { truth, scenario } = played;
	const page = scenario.build === 'verified' ? PAGE_IN_VERIFIED_BUILD : PAGE;
	return errorItems(played).flatMap(({ error, node, row, saidAt }) => {
		if (node.kind !== 'video' || node.operation === 'get' || error.task_id === undefined) return [];
		if (OTHER_ERRORS.test(error.code)) return [];
		const task = truth.tasks.get(error.task_id);
		const polls = truth.requests.filter(
			({ endpoint, taskId, at }) =>
				endpoint === 'poll' &&
				taskId === error.task_id &&
				at >= row.startedAt &&
				// A later call of an agent's tool asks for the same task again.
				at <= saidAt,
		);
		const last = polls.at(-1);
		if (last === undefined || task?.ending !== 'completed') return [];
		// The certificate or TLS ends a wait (docs/reliability.md).
		const hasNoTls = truth.notConnected.some(
			({ failure, url, at }) =>
				failure === 'no TLS' &&
				url.endsWith(`/${encodeURIComponent(task.id)}`) &&
				at >= last.at &&
				at <= saidAt,
		);
		if (hasNoTls) return [];
		if (last.limit !== undefined)
			return [`the wait for task ${task.id} was given up for a refused poll (${last.limit})`];
		// That a task is unknown is the service's own word, however slowly it arrives, and if it is only said to be compressed.
		if (last.fault === undefined) return [];
		if (last.status === 404 && /^(slow-response|bad-gzip)$/.test(last.fault)) return [];
		const pages = polls.filter(({ fault = '' }) => page.test(fault));
		const isPage = page.test(last.fault);
		const isOnePage = isPage && pages.length < MAX_PAGES;
		if (!isOnePage && (isPage || !TRANSIENT.test(last.fault))) return [];
		const what = isOnePage ? 'page of another server' : 'failed poll';
		return [
			`the wait for task ${task.id} ("${task.prompt}") was given up for one ${what} (${last.fault})`,
		];
	});
}

/** `may_have_been_accepted: false` of what was accepted. */
function accepted(played: Played): string[] {
	const { scenario, truth } = played;
	return errorItems(played).flatMap(({ error, node, item, row }) => {
		if (error.may_have_been_accepted !== false || error.task_id !== undefined) return [];
		if (node.kind === 'list' || item === undefined) return [];
		const prompt = promptFor(node, item);
		if (scenario.items.filter((each) => promptFor(node, each) === prompt).length > 1) return [];
		const lost = truth.requests.filter(
			(each) =>
				each.prompt === prompt && each.accepted && !wasHeard(each) && each.at >= row.startedAt,
		);
		return lost.length === 0 || played.rows.length > 1
			? []
			: [
					`"${prompt}": may_have_been_accepted is false (${error.code}), but the service accepted it`,
				];
	});
}

/** A stopped execution has nothing to retry. */
function stopped({ thrown, stops }: Played): string[] {
	return thrown.flatMap(({ message, description, execution, at }) => {
		const stop = stops.get(execution);
		if (stop === undefined || at < stop) return [];
		const words = `${message} ${description}`;
		return /\b(use|next) Retry\b/.test(words)
			? [`a stopped execution is told: ${words.slice(0, 200)}`]
			: [];
	});
}

/** Retry is offered for an execution that failed: an agent and one that continues have none. */
function retryIsOffered(played: Played): string[] {
	const isAgent = played.scenario.shape === 'agent';
	const said = isAgent ? [...errorItems(played), ...thrownErrors(played)] : errorItems(played);
	return said.flatMap(({ error: { description }, node, row }) =>
		/\b(use|next) Retry\b/.test(description)
			? [`execution ${row.id}, ${node.name}: advice to use Retry, which n8n does not offer here`]
			: [],
	);
}

/** What a list of tasks says of each. */
const LISTED = /\(\d+\) (task-[0-9a-f]+|\d{16,19}): (\w[\w ]*\w)/g;

/** A list calls a task completed or failed only if it is, and does not call one running whose end was seen. */
function lists(played: Played): string[] {
	const { truth, thrown } = played;
	return thrown.flatMap(({ message, description, at, execution }) =>
		[...`${message} ${description}`.matchAll(LISTED)].flatMap(([, id = '', status = '']) => {
			const task = truth.tasks.get(id);
			if (task === undefined) return [];
			const seen = truth.requests.filter(
				(each) =>
					each.endpoint === 'poll' &&
					each.taskId === id &&
					each.finished &&
					each.whole &&
					(each.endedAt ?? Infinity) <= at,
			);
			const isSeen = seen.length > 0 && (task.ending === 'completed' || task.ending === 'failed');
			const isWrong = /^(completed|failed)$/.test(status)
				? status !== task.ending
				: isSeen && /^(queued|processing)$/.test(status);
			return isWrong
				? [`execution ${execution}: task ${id} is listed as ${status}; it is ${task.ending}`]
				: [];
		}),
	);
}
