import type { Played } from '../play/played';
import { promptFor } from '../scenario/workflow';
import { type Claim, errorItems, nodeRuns, thrownErrors, wasHeard } from './evidence';
import type { Promised } from './promise';
import { caseOf, REASONS } from './reasons';

/**
 * A task that is completed and an answer that was accepted are good items, unless one of the reasons explains the error;
 * a good item of Generate and Wait is completed, unless On Timeout is Output.
 */
export const delivered: Promised = {
	name: 'Delivered',
	says: 'A finished video, an answer that the service gave and a list of models are good items. Generate and Wait hand on only finished videos. Retry On Fail and Retry make a failed video again.',
	except: [
		'With On Timeout set to Output, an unfinished video is handed on.',
		'The error has another reason: a lost response, a Max Wait that was over, a download that failed twice, a Stop.',
	],
	alsoKeptBy: [],
	check: (played) => [
		...unexplained(played),
		...unfinished(played),
		...lists(played),
		...waitedForAgain(played),
	],
};

function unexplained(played: Played): string[] {
	return [...errorItems(played), ...thrownErrors(played)].flatMap((claim) => {
		const given = caseOf(played, claim);
		if (given === undefined) return [];
		const reason = Object.keys(REASONS).find((name) => REASONS[name]?.(given));
		return reason === undefined
			? [`${whatOf(claim)} is paid and finished, and fails: ${wordsOf(claim)}`]
			: [];
	});
}

/** A list of models that arrived, and fails. */
function lists(played: Played): string[] {
	const { truth, scenario, stops, kills, rows } = played;
	const isLost =
		stops.size + kills.length + truth.notConnected.length > 0 ||
		scenario.timeoutWorkflow !== undefined ||
		rows.length > 1;
	if (isLost || scenario.events.some(({ what }) => what === 'deleteCredential')) return [];
	return [...errorItems(played), ...thrownErrors(played)].flatMap((claim) => {
		if (claim.node.kind !== 'list') return [];
		const last = truth.requests.findLast(
			({ endpoint, at }) => endpoint === 'models' && at <= claim.saidAt,
		);
		return last && wasHeard(last)
			? [`the service sent its models, and ${whatOf(claim)} fails: ${wordsOf(claim)}`]
			: [];
	});
}

/** A video that was seen to have failed, for which a second try or a Retry waits, instead of making another. */
function waitedForAgain(played: Played): string[] {
	const { scenario, truth, tries, kills, stops } = played;
	const isPlain = scenario.nodes.every(
		(node) => node.kind !== 'video' || /generate|submit/.test(node.operation),
	);
	// What a run saw in the moment of its end, n8n may not have stored.
	if (!isPlain || kills.length + stops.size > 0 || scenario.shape === 'agent') return [];
	return [...truth.tasks.values()].flatMap((task) => {
		const polls = truth.requests.filter(({ taskId }) => taskId === task.id);
		const seen = polls.find(({ finished, whole }) => finished && whole)?.endedAt ?? Infinity;
		const isLater = ({ at }: { at: number }) => at > seen;
		const again = polls.find(
			({ sentAt, endpoint }) =>
				endpoint === 'poll' &&
				tries.some(
					(each) => isLater(each) && task.prompt.endsWith(` for ${each.node}`) && each.at <= sentAt,
				),
		);
		return again === undefined || task.ending !== 'failed'
			? []
			: [`task ${task.id} ("${task.prompt}") has failed, and is waited for again`];
	});
}
function whatOf({ node, item, row }: Claim): string {
	return `execution ${row.id}, ${node.name}: "${item === undefined ? '' : promptFor(node, item)}"`;
}

function wordsOf({ error: { code, message } }: Claim): string {
	return `${code} ${message}`.trim();
}

function unfinished(played: Played): string[] {
	return nodeRuns(played).flatMap(({ node, outputs, row }) => {
		if (node.kind !== 'video' || !/generate|wait/.test(node.operation)) return [];
		// What a pause shows is what is known so far.
		if (node.wait?.onTimeout === 'output' || !/success|error/.test(row.status)) return [];
		return outputs.flat().flatMap(({ json }) => {
			const { task_id: id, status } = json;
			if (id === undefined || json.error !== undefined) return [];
			return String(status).trim().toLowerCase() === 'completed'
				? []
				: [
						`execution ${row.id}, ${node.name}: task ${String(id)} is handed on, "${String(status)}"`,
					];
		});
	});
}
