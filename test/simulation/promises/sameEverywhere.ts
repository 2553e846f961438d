import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Scenario } from '../scenario/schema';
import type { Played } from '../play/played';
import { nodeRuns } from './evidence';
import type { Told } from './promise';

/** As docs/promises.md tells it: main.ts and the tests compare the variants of a scenario. */
export const sameEverywhere: Told = {
	name: 'The same',
	says: 'The same items come out in memory and in the database, and in both builds.',
	except: [
		'A wait in the database notices a finished video later.',
		'[What the verified build lacks](verification.md#what-the-verified-build-lacks).',
	],
	alsoKeptBy: ['test/verified/differences.js'],
};

/** A task that takes longer may be over at different times in the two waits. */
const MAX_PART_OF_WAIT = 0.5;

/**
 * The same scenario in the other build, and with the other wait. None where the order of requests, or the time at which
 * something is noticed, decides: those differ.
 */
export function variantsOf(scenario: Scenario): Scenario[] {
	const { nodes, service, events, order, shape, timeoutWorkflow } = scenario;
	const hasLimits = service.limits.length > 0 || service.refused !== undefined;
	// n8n's helper does not tell when a connection is made: in the verified build, Timeout counts from the start.
	const isConnecting =
		service.outages?.some(({ failure }) => failure === 'silent') ||
		(service.connectMs !== undefined &&
			nodes.some(({ options }) => options?.timeout !== undefined));
	const isTimed = service.faults.some((fault) => {
		const isPeriod = fault.from !== undefined || fault.until !== undefined;
		// Which of several equal prompts is the first, and how many polls there are, is a matter of time.
		return (
			isPeriod ||
			fault.endpoint === 'poll' ||
			fault.attempts !== undefined ||
			/slow|stall|hang/.test(fault.fault) ||
			// The verified build reports it as invalid JSON (docs/verification.md).
			fault.fault === 'cut-gzip'
		);
	});
	if (events.length > 0 || hasLimits || isTimed || isConnecting) return [];
	if (timeoutWorkflow !== undefined) return [];
	const plans = service.tasks.filter(
		({ attempt, ending, urlLagSeconds }) =>
			attempt !== undefined ||
			ending === 'never' ||
			ending === 'vanished' ||
			// Against the interface, a task is completed before its URL is set: a later poll finds one.
			urlLagSeconds !== undefined,
	);
	if (plans.length > 0) return [];
	const otherBuild: Scenario = {
		...scenario,
		build: scenario.build === 'undici' ? 'verified' : 'undici',
	};
	const longest = Math.max(
		0,
		...service.tasks.map(({ seconds, lateSeconds = 0 }) => seconds + lateSeconds),
	);
	const isInTime = nodes.every(
		(node) =>
			node.kind !== 'video' || (node.wait?.maxWait ?? 600) * MAX_PART_OF_WAIT >= longest + 130,
	);
	// It ends a wait that polls meanwhile (docs/reliability.md).
	const hasNoTls = service.outages?.some(({ failure }) => failure === 'no TLS') === true;
	const waits =
		nodes.some(({ kind }) => kind === 'video') &&
		order === 'v1' &&
		shape !== 'agent' &&
		isInTime &&
		!hasNoTls;
	return waits ? [otherBuild, withOtherWait(scenario)] : [otherBuild];
}

function withOtherWait(scenario: Scenario): Scenario {
	const nodes = scenario.nodes.map((node) =>
		node.kind === 'video'
			? {
					...node,
					wait: {
						...node.wait,
						waitIn: node.wait?.waitIn === 'database' ? ('memory' as const) : ('database' as const),
					},
				}
			: node,
	);
	return { ...scenario, nodes };
}

/** How the items of two scenarios differ. */
export function differences(one: Played, other: Played): string[] {
	const [these, those] = [itemsOf(one, '1'), itemsOf(other, '1')];
	const where =
		JSON.stringify(one.scenario.nodes) === JSON.stringify(other.scenario.nodes)
			? 'the other build'
			: 'the other wait';
	return Object.keys({ ...these, ...those }).flatMap((place) =>
		these[place] === those[place]
			? []
			: [`${place}: ${these[place]}; in ${where}: ${those[place]}`],
	);
}

/** The output of each run of a node in an execution, without ids and times. */
export function itemsOf(
	played: Pick<Played, 'scenario' | 'rows' | 'truth'>,
	execution: string,
): Record<string, string> {
	const runs = nodeRuns(played).filter(({ row }) => row.id === execution);
	return Object.fromEntries(
		runs.map(({ node, outputs, task }, index) => [
			`${node.name}, run ${index}`,
			JSON.stringify([
				outputs.map((items) => items.map((item) => shown(item, played))),
				task.error !== undefined,
			]),
		]),
	);
}

const CHANGING = new Set([
	'id',
	'created',
	'created_at',
	'completed_at',
	'request_id',
	'url',
	'description',
	'message',
	'progress',
]);

/** What an agent hears of a connection that failed, where n8n's helper decides whether it goes through a proxy. */
const OF_PROXY = / If n8n reaches the service through a proxy \([^)]*\), [^.]*\./;

function shown(
	{ json, binary, pairedItem }: INodeExecutionData,
	played: Pick<Played, 'truth'>,
): unknown {
	return [plain(json, played), Object.keys(binary ?? {}), pairedItem];
}

function plain(value: unknown, played: Pick<Played, 'truth'>): unknown {
	if (Array.isArray(value)) return value.map((each) => plain(each, played));
	if (typeof value === 'string') {
		const task = played.truth.tasks.get(value);
		if (task) return `task ${task.request.tasks.indexOf(value)} of ${task.prompt}`;
		return value.replace(/ #0\.\d+/g, '').replace(OF_PROXY, '');
	}
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value as IDataObject).filter(([name]) => !CHANGING.has(name));
	return Object.fromEntries(entries.map(([name, field]) => [name, plain(field, played)]));
}
