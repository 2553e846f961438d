import type { Played } from '../play/played';
import type { Row } from '../play/rows';
import { promptFor } from '../scenario/workflow';
import {
	ancestry,
	errorItems as claims,
	errorOf,
	hasErrorOfStop,
	knownTasks,
	nodeRuns,
	printable,
	shownOf,
	submittedBy,
	thrownErrors,
	wasSeenFailed,
} from './evidence';
import type { Promised } from './promise';

/** Codes of errors about a task. */
const ABOUT_A_TASK = /^(task_failed|wait_timeout|download_.*|storage_failed|task_not_found)$/;

/** Every task is in an item, in an error or, where n8n keeps neither, in n8n's log. */
export const named: Promised = {
	name: 'Named',
	says: "Every task is in an item, in an error or, where n8n keeps neither, in n8n's log.",
	except: [
		'A response that arrives in the moment when the process is killed is lost with it.',
		"An execution's custom data has room for the newest tasks alone.",
	],
	alsoKeptBy: ['test/reliability/taskFaults.test.ts'],
	check: (played) => [
		...tasks(played),
		...errorItems(played),
		...stopped(played),
		...hiddenByLimit(played),
	],
};

function tasks(played: Played): string[] {
	const { scenario, rows, log, kills, starts } = played;
	const submitters = submittedBy(played);
	const shown = new Map(rows.map((row) => [row.id, shownOf(played, row)]));
	const known = knownTasks(played);
	const hasBegun = ({ id }: Row, name: string) =>
		starts.some(({ execution, node }) => execution === id && node === name);
	const logged = log.map(({ text }) => text).join('\n');
	return known.flatMap(({ id, request, prompt }) => {
		const heard = request.heardAt ?? 0;
		// What a process had in flight when it was killed.
		if (kills.some((at) => at >= heard && at - heard < 10)) return [];
		if (!logged.includes(printable(id))) return [`task ${id} ("${prompt}") is not in the log`];
		const submitter = submitters.get(id);
		if (submitter === undefined) return [];
		return rows.flatMap((row) => {
			if (row.status !== 'success' && row.status !== 'error') return [];
			const line = ancestry(row, rows);
			const owner = line.find((each) => each.id === submitter);
			if (owner === undefined) return [];
			// A tool that was stopped: another call of it is not its retry.
			if (owner !== row && scenario.shape === 'agent' && owner.status === 'canceled') return [];
			// Not in the data that the retry began with.
			if (owner !== row && owner.savedAt < heard) return [];
			// Stopped by Timeout Workflow while the node ran: n8n's Retry does not run it again.
			if (owner !== row && !hasBegun(row, nodeOf(request.prompt))) return [];
			// The log has the tasks.
			if (row.status === 'error' && hasErrorOfStop(row, rows)) return [];
			// Another one was made in its place.
			if (wasSeenFailed(played, id)) return [];
			if (shown.get(row.id)?.includes(printable(id))) return [];
			return [`task ${id} ("${prompt}") is named nowhere in execution ${row.id} (${row.status})`];
		});
	});
}

/** The node of a prompt. */
function nodeOf(prompt: string): string {
	return prompt.replace(/^.* for /, '');
}

function errorItems(played: Played): string[] {
	return nodeRuns(played).flatMap(({ row, node, outputs }) =>
		outputs.flat().flatMap((item) => {
			const error = errorOf(item);
			if (error === undefined || error.task_id !== undefined) return [];
			if (!ABOUT_A_TASK.test(error.code)) return [];
			return [`execution ${row.id}, ${node.name}: an error item (${error.code}) has no task_id`];
		}),
	);
}

/** An item that meets Max Billable Requests in a second try: what was paid for in the first one is in the error. */
function hiddenByLimit(played: Played): string[] {
	const { truth, scenario, rows } = played;
	if (scenario.shape === 'agent' || rows.length > 1) return [];
	return [...claims(played), ...thrownErrors(played)].flatMap(
		({ error, item, node, row, saidAt }) => {
			if (!/Max Billable Requests \(/.test(error.message) || item === undefined) return [];
			const prompt = promptFor(node, item);
			const equal = scenario.items.filter((each) => promptFor(node, each) === prompt);
			if (equal.length > 1 || node.kind !== 'video' || scenario.nodes[0] !== node) return [];
			const paid = truth.requests.filter(
				(each) =>
					each.endpoint === 'submit' &&
					each.prompt === prompt &&
					each.accepted &&
					(each.endedAt ?? Infinity) < saidAt,
			);
			const words = `${error.message} ${error.description} ${error.task_id ?? ''}`;
			// With several videos for an item, those that are finished are handed on beside the error.
			const handedOn = nodeRuns(played).flatMap(({ outputs }) =>
				outputs.flat().map(({ json }) => json.task_id),
			);
			const isHidden = paid.some(({ tasks, whole }) => {
				const ids = tasks.filter((id) => !wasSeenFailed(played, id) && !handedOn.includes(id));
				return whole
					? ids.length > 0 && !ids.some((id) => words.includes(printable(id)))
					: error.may_have_been_accepted !== true && !/may have (been )?accepted/.test(words);
			});
			return isHidden
				? [`execution ${row.id}: Max Billable Requests hides what "${prompt}" was billed for`]
				: [];
		},
	);
}

/** A submission in flight at Stop is in the log, with its item. */
function stopped({ rows, stops, truth, log, keys }: Played): string[] {
	return rows.flatMap((row) => {
		const stop = stops.get(row.id);
		if (stop === undefined || row.status !== 'canceled' || rows.length > 1) return [];
		const inFlight = truth.requests.filter(
			(each) =>
				each.endpoint === 'submit' &&
				each.key === keys[0] &&
				each.sentAt <= stop &&
				each.endedAt === stop &&
				!each.whole,
		);
		const lines = log.filter(({ text }) => /during a submission.*\[item \d+\]/.test(text));
		return lines.length >= inFlight.length
			? []
			: [`${inFlight.length} submissions in flight at Stop, ${lines.length} in the log`];
	});
}
