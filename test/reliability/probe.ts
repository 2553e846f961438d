import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../gateway';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { bytesOf } from '../../demo/engine';
import { type NodeResult, type NodeRun, runNode } from '../engine/runNode';
import { CONNECTION_FAULTS } from './connectionFaults';
import { Road } from './road';
import { TimeOfRequests } from './timeOfRequests';
import {
	endpointOf,
	MAX_RETRIES,
	MAX_WAIT,
	oversizedBytes,
	POLL_INTERVAL,
	TIMEOUT,
	type Way,
} from './ways';

/** What the user got, and what the service received. */
export interface Outcome {
	/** The error of the item; undefined when the item is good. */
	error: IDataObject | undefined;
	/** What stopped the workflow. */
	thrown: NodeResult['error'];
	/** The good items, without what differs from one run to the next. */
	items: Array<Record<string, unknown>>;
	/** Seconds between the requests of this way. */
	pauses: number[];
	/** The ids of the tasks that were made. */
	tasks: string[];
}

export interface Probe {
	way: Way;
	/** Undefined: nothing goes wrong. */
	fault?: string;
	/** The fault strikes one request, or every request; or every request of a node that stops the workflow. */
	times: 'once' | 'always' | 'stopping';
	tls?: SimulatorOptions['tls'];
}

const video = (parameters: INodeParameters): NodeRun => ({
	node: 'videoGeneration',
	parameters: { model: 'kite-motion', prompt: 'A boat', ...parameters },
});
const chat = (stream: boolean): NodeRun => ({
	node: 'chatCompletion',
	parameters: {
		model: 'heron-chat',
		messages: { values: [{ role: 'user', content: 'Hello' }] },
		options: { stream },
	},
});
const RUNS: Record<Way, NodeRun> = {
	chat: chat(false),
	chatStream: chat(true),
	models: { node: 'listModels', parameters: { returnAll: true } },
	submit: video({}),
	poll: video({}),
	get: video({ operation: 'get' }),
	download: video({ download: true }),
};
/** A chat that calls a tool, which is what some faults spoil. */
const TOOLS = /^tool-/;
const CALLING: NodeRun = {
	node: 'chatCompletion',
	parameters: {
		model: 'heron-chat',
		simplify: false,
		messages: { values: [{ role: 'user', content: '[call:weather {"city": "Rome"}]' }] },
		options: {
			stream: true,
			additionalBody: JSON.stringify({
				tools: [{ type: 'function', function: { name: 'weather' } }],
			}),
		},
	},
};
/** A task that was submitted before, when nothing was wrong yet. */
const RESUMED: Partial<Record<Way, INodeParameters>> = {
	poll: { operation: 'wait' },
	get: { operation: 'get' },
	download: { operation: 'wait', download: true },
};
const SETTINGS: INodeParameters = {
	waitOptions: { pollInterval: POLL_INTERVAL, maxWait: MAX_WAIT },
	requestOptions: { maxRetries: MAX_RETRIES, timeout: TIMEOUT },
};

/** Faults that are only over when the node's patience is. */
const SILENT = /hang/;
/** A fault that lasts this long by the simulator's clock, and is then over. */
const LATE = /^late-/;
const LATE_MS = 11_000;
/** The rate limiter is shared by all that use one key: each probe comes with its own. */
let keys = 0;

/** Runs a node through the engine while the service, or the way to it, suffers a fault. */
export async function probe({ way, fault = '', times, tls }: Probe): Promise<Outcome> {
	const time = new TimeOfRequests();
	const onRoad = CONNECTION_FAULTS.find(({ name }) => name === fault);
	const simulator = await startSimulator({
		now: time.now,
		videoSeconds: 1,
		slowMs: 20,
		oversizedBytes: oversizedBytes(way),
		...(onRoad?.tls && tls && { tls }),
	});
	const road = onRoad && new Road(new URL(simulator.url), time.now);
	await road?.open();
	try {
		const run = prepare(way, fault, times, simulator, road?.url);
		if (way === 'get' || (onRoad && RESUMED[way])) await resume(run, way, time, simulator);
		const endpoint = endpointOf(way);
		const received = () =>
			simulator.requests.filter((request) => request.endpoint === endpoint).map(({ at }) => at);
		// Where the road is open again, later requests have their own connections.
		const arrivals = () => {
			const [first = Infinity] = received();
			return road ? road.attempts.filter((at) => at <= first) : received();
		};
		const before = time.begun - simulator.requests.length;
		const hasArrived = () =>
			simulator.requests.at(-1)?.endpoint === endpoint &&
			simulator.requests.length === time.begun - before;
		let isLate = LATE.test(fault);
		const isSilent = () => {
			if (isLate && hasArrived()) {
				isLate = false;
				time.pass(LATE_MS);
			}
			return SILENT.test(fault) && hasArrived() && (times !== 'once' || arrivals().length === 1);
		};
		await road?.block(onRoad?.blockade, way === 'download');
		if (onRoad && !onRoad.blockade) run.credential.ignoreSslIssues = false;
		if (fault && !onRoad)
			simulator.inject({ endpoint, fault, ...(times === 'once' && { times: 1 }) });

		let clearing: Promise<void> | undefined;
		let isBlocked = road !== undefined && times === 'once';
		const isReady = () => {
			if (isBlocked && road?.attempts.length)
				clearing ??= road.clear().then(() => void (isBlocked = false));
			return clearing === undefined || !isBlocked;
		};
		const result = await time.until(runNode(simulator, run), isSilent, isReady);
		await clearing;
		return await outcomeOf(result, simulator, arrivals());
	} finally {
		await road?.close();
		await simulator.close();
		time.restore();
	}
}

function prepare(
	way: Way,
	fault: string,
	times: Probe['times'],
	simulator: Simulator,
	baseUrl = simulator.url,
) {
	const apiKey = `key-${++keys}`;
	simulator.acceptKey(apiKey);
	const { node, parameters } = TOOLS.test(fault) ? CALLING : RUNS[way];
	return {
		node,
		// A certificate of tests is accepted, unless just that is the fault.
		parameters: { ...parameters, ...SETTINGS },
		credential: { baseUrl, apiKey, ignoreSslIssues: true as boolean },
		...(times !== 'stopping' && { onError: 'continueRegularOutput' }),
	} satisfies NodeRun;
}

/** Submits a video while nothing is wrong yet, and lets the run look at its finished task. */
async function resume(run: NodeRun, way: Way, time: TimeOfRequests, simulator: Simulator) {
	const submit = { ...run, parameters: { ...run.parameters, operation: 'submit' } };
	const [task] = (await time.until(runNode(simulator, submit))).items;
	await time.until(systemClock.sleep(1000 * POLL_INTERVAL));
	Object.assign(run.parameters, RESUMED[way], { taskId: String(task?.json.task_id) });
	if (way !== 'download') return;
	// The connection by which the task is polled stays open: the fault strikes the download alone.
	const get = { ...run, parameters: { ...run.parameters, operation: 'get', download: false } };
	await time.until(runNode(simulator, get));
}

async function outcomeOf({ items, error }: NodeResult, simulator: Simulator, at: number[]) {
	const good = items.filter(({ json }) => !('error' in json));
	return {
		error: items.find(({ json }) => 'error' in json)?.json.error as IDataObject | undefined,
		thrown: error,
		items: await Promise.all(
			good.map(async (item) => ({
				...withoutChance(item.json),
				...(item.binary && { video: (await bytesOf(item)).toString('base64') }),
			})),
		),
		pauses: at.slice(1).map((moment, index) => Math.round(moment - at[index]!) / 1000),
		tasks: simulator.tasks.map(({ id }) => id),
	};
}

/** Ids, times and ports are new in every run. */
function withoutChance(json: IDataObject): IDataObject {
	// Only who submitted a task knows its request.
	const unknown = 'task_id' in json ? ['request_id', 'model'] : [];
	const entries = Object.entries(json).filter(([name]) => !unknown.includes(name));
	return Object.fromEntries(
		entries.map(([name, value]) => {
			if (/_at$/.test(name)) return [name, typeof value];
			return [name, typeof value === 'string' ? withoutIds(value) : value];
		}),
	);
}

export function withoutIds(text: string): string {
	return text
		.replace(/(task|chatcmpl|video|call)-[0-9a-f]+/g, '$1')
		.replace(/https?:\/\/(127\.0\.0\.1|service-\d+\.test)(:\d+)?/g, 'service')
		.replace(/service-\d+/g, 'service')
		.replace(/:\d{4,5}\b/g, '');
}
