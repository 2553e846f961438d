import type { Row } from '../play/rows';
import type { Played } from '../play/played';
import type { ScenarioNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service/truth';
import { errorItems, errorOf, nodeRuns, thrownErrors, wasHeard } from './evidence';
import type { Promised } from './promise';

/** Nothing is submitted again and no limit is ignored, unless the user was told before. */
export const told: Promised = {
	name: 'Told',
	says: 'The node submits a lost item again only after an error said so. It passes no limit of billable requests, and sends what the limit allows.',
	except: [
		'Where n8n keeps nothing of a node (stopped while it ran, crashed), its Retry knows nothing of it.',
	],
	alsoKeptBy: [],
	check: (played) => [
		...repeated(played),
		...overLimit(played),
		...refusedEarly(played),
		...halfBatches(played),
		...unset(played),
		...limitWords(played),
	],
};

/** What an item or an error says before a lost submission is repeated… */
const AGAIN = /Retry submits (item \d+|\d+ items) again/;
/** …and where one error says it of several items, which ones. */
const ALL = /Submissions that the service may have accepted: item ([\d, ]+)/;

type BilledNode = Extract<ScenarioNode, { kind: 'chat' | 'video' }>;

function billedNodes({ scenario }: Played): BilledNode[] {
	return scenario.nodes.filter((node): node is BilledNode => /chat|video/.test(node.kind));
}

/** A lost submission is repeated in a later execution alone, and only after an execution before it has said so. */
function repeated(played: Played): string[] {
	const { scenario, truth, rows } = played;
	// Executions side by side have the same prompts.
	if (rows.slice(1).some(({ retryOf }) => retryOf === undefined)) return [];
	const said = [...errorItems(played), ...thrownErrors(played)];
	return billedNodes(played).flatMap((node) => {
		if (node.kind !== 'video') return [];
		const prompts = scenario.items.map((item) => promptFor(node, item));
		return [...new Set(prompts)].flatMap((prompt) => {
			// Of several equal ones nobody knows which one was lost.
			if (prompts.filter((each) => each === prompt).length > 1) return [];
			// What a node before makes of one item is several.
			if (scenario.nodes.indexOf(node) > 0 && scenario.shape !== 'branches') return [];
			const sent = truth.requests.filter(
				(each) => each.endpoint === 'submit' && each.prompt === prompt && each.accepted,
			);
			const lost = sent.find((each) => !wasHeard(each));
			const again = sent.find((each) => lost !== undefined && each.sentAt > endOf(lost));
			if (lost === undefined || again === undefined) return [];
			const row = rowAt(rows, again.sentAt);
			// A Retry may begin in the millisecond in which a Stop ended the execution before it.
			const first = rows.find(({ endedAt = Infinity }) => endedAt >= lost.sentAt);
			// Of a node that n8n stops or that dies with its process, n8n keeps nothing.
			if (row === undefined || first === undefined || isForgotten(played, first)) return [];
			if (row === first)
				return [`"${prompt}" was lost, and is submitted again in execution ${row.id}`];
			const wasTold = said.some(
				({ node: sayer, row: { startedAt }, item, error: { description } }) => {
					if (sayer !== node || startedAt >= row.startedAt) return false;
					const listed = ALL.exec(description)?.[1]?.split(', ') ?? [];
					const isListed = listed.includes(String(prompts.indexOf(prompt)));
					const isOwn = item !== undefined && promptFor(node, item) === prompt;
					return AGAIN.test(description) && (isListed || isOwn);
				},
			);
			return wasTold
				? []
				: [
						`"${prompt}" was lost in execution ${first.id}, and execution ${row.id} submits it again without a word before`,
					];
		});
	});
}

function isForgotten({ stops, kills }: Played, row: Row): boolean {
	const end = row.endedAt ?? Infinity;
	return stops.has(row.id) || kills.some((at) => at >= row.startedAt && at <= end);
}

function endOf({ endedAt = Infinity }: TruthRequest): number {
	return endedAt;
}

function rowAt(rows: Row[], at: number): Row | undefined {
	return rows.findLast(({ startedAt }) => at >= startedAt);
}

/** More billable requests in one execution than Max Billable Requests. */
function overLimit(played: Played): string[] {
	const { scenario, truth, rows, stops } = played;
	// The executions of a sub-workflow may run side by side.
	if (scenario.shape === 'subWorkflow') return [];
	return billedNodes(played).flatMap((node) => {
		const { maxBillable } = node;
		if (typeof maxBillable !== 'number') return [];
		const endpoint = node.kind === 'video' ? 'submit' : 'chat';
		return rows.flatMap((row) => {
			const isSide = rows.some((other) => other !== row && isBeside(row, other));
			if (isSide) return [];
			const follows = rows.some(({ id, endedAt }) => endedAt === row.startedAt && stops.has(id));
			const sent = truth.requests.filter(
				(each) =>
					each.endpoint === endpoint &&
					each.accepted &&
					each.prompt.endsWith(` for ${node.name}`) &&
					rowAt(rows, each.sentAt) === row &&
					// It may be the last request of the run that was stopped.
					!(follows && each.sentAt === row.startedAt && each.heardAt === undefined),
			);
			const beyond = sent.find((each) => usedBefore(sent, each) + each.n > maxBillable);
			return beyond === undefined
				? []
				: [
						`${node.name} makes ${usedBefore(sent, beyond) + beyond.n} billable requests in execution ${row.id}; Max Billable Requests is ${maxBillable}`,
					];
		});
	});
}

function isBeside(one: Row, other: Row): boolean {
	const endOfRow = ({ endedAt = Infinity }: Row) => endedAt;
	return one.startedAt < endOfRow(other) && other.startedAt < endOfRow(one);
}

/** What was billed by a request is known when its response is. */
function usedBefore(sent: TruthRequest[], next: TruthRequest): number {
	return sent
		.filter(({ sentAt }) => sentAt < next.sentAt)
		.reduce((sum, each) => {
			const isKnown = wasHeard(each) && endOf(each) <= next.sentAt;
			return sum + (isKnown ? Math.max(each.n, each.tasks.length) : each.n);
		}, 0);
}

/** The billable requests that a node sent. */
function billableOf({ requests }: Played['truth'], name: string): TruthRequest[] {
	return requests.filter(
		({ endpoint, prompt }) => /chat|submit/.test(endpoint) && prompt.endsWith(` for ${name}`),
	);
}

/** Max Billable Requests refuses an item although all items of the run fit. */
function refusedEarly({ scenario, truth, rows }: Played): string[] {
	if (rows.length > 1 || !/sequence|branches/.test(scenario.shape)) return [];
	return nodeRuns({ scenario, rows }).flatMap(({ node, outputs, input }) => {
		if ((node.kind !== 'chat' && node.kind !== 'video') || typeof node.maxBillable !== 'number')
			return [];
		const refused = outputs.flat().filter((output) => errorOf(output)?.code === 'spending_limit');
		const each = node.kind === 'video' ? (node.n ?? 1) : 1;
		const used = billableOf(truth, node.name).reduce(
			(sum, { n, tasks }) => sum + Math.max(n, tasks.length),
			0,
		);
		const needed = used + (used === 0 ? input.length : refused.length) * each;
		return refused.length > 0 && needed <= node.maxBillable
			? [
					`${node.name} refuses ${refused.length} items; Max Billable Requests is ${node.maxBillable}, and ${needed} are needed`,
				]
			: [];
	});
}

/** With On Error "Stop Workflow", a batch above Max Billable Requests is refused as a whole: nothing is sent. */
function halfBatches({ scenario, truth, rows }: Played): string[] {
	if (rows.length > 1 || scenario.shape !== 'sequence') return [];
	return nodeRuns({ scenario, rows }).flatMap(({ node, input }) => {
		if (node.kind !== 'chat' && node.kind !== 'video') return [];
		const { maxBillable, onError = 'stopWorkflow', executeOnce } = node;
		if (typeof maxBillable !== 'number' || onError !== 'stopWorkflow' || executeOnce) return [];
		const needed = input.length * (node.kind === 'video' ? (node.n ?? 1) : 1);
		const sent = billableOf(truth, node.name);
		return sent.length === 0 || needed <= maxBillable
			? []
			: [
					`${node.name} sends ${sent.length} billable requests of a batch that needs ${needed}; Max Billable Requests is ${maxBillable}`,
				];
	});
}

/** "Is less than this one request counts": of a request that no execution could send, and of no other. */
function limitWords(played: Played): string[] {
	return [...errorItems(played), ...thrownErrors(played)].flatMap(({ error, node, row }) => {
		const [, max, counts] =
			/^Max Billable Requests \((\d+)\) (?:is less than this one request counts \((\d+)\)|does)/.exec(
				error.message,
			) ?? [];
		if (max === undefined || (node.kind !== 'chat' && node.kind !== 'video')) return [];
		const most = Number(node.maxBillable);
		const each = node.kind === 'video' ? (node.n ?? 1) : 1;
		const isRight = counts === undefined ? each <= most : Number(counts) > most;
		return isRight && Number(max) === most
			? []
			: [
					`execution ${row.id}, ${node.name}: a request counts ${each}, Max Billable Requests is ${most}, and the error says: ${error.message}`,
				];
	});
}

/** A limit whose expression has no value is refused: nothing is sent. */
function unset(played: Played): string[] {
	return billedNodes(played).flatMap((node) => {
		if (node.maxBillable !== 'nothing') return [];
		const sent = billableOf(played.truth, node.name);
		return sent.length === 0
			? []
			: [
					`${node.name} sends ${sent.length} billable requests although the expression of Max Billable Requests has no value`,
				];
	});
}
