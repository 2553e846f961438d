import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { type NodeRun, runNode } from '../engine/runNode';
import { endpointOf, MAX_RETRIES, type Way } from './ways';

/** What the user got, and what the service received. */
export interface Outcome {
	/** The error of the item; undefined when the item is good. */
	error: IDataObject | undefined;
	items: INodeExecutionData[];
	/** Requests that arrived at the way's endpoint. */
	requests: number;
	/** Milliseconds between them. */
	gaps: number[];
	/** The ids of the tasks that were made. */
	tasks: string[];
}

const video = (parameters: INodeParameters): NodeRun => ({
	node: 'videoGeneration',
	parameters: {
		model: 'kite-motion',
		prompt: 'A boat',
		...parameters,
	},
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

/** A simulator that lives in the gateway's time, for one fault: late requests of another could take its place. */
export async function startForProbes(): Promise<Simulator> {
	return await startSimulator({
		now: () => systemClock.now(),
		videoSeconds: 1,
		slowMs: 20,
		oversizedBytes: OVERSIZED_BYTES,
	});
}

/** More than a line of an event stream may have. */
const OVERSIZED_BYTES = 17 * 1024 * 1024;
/** Answers that take long to read, and are good in the end. */
const LARGE = /oversized|bomb/;
/** Faults that are only over when the node's patience is. */
const SILENT = /hang/;

/** Runs a node through the engine while the service suffers a fault on this way, once or for good. */
export async function probe(
	simulator: Simulator,
	way: Way,
	fault: string,
	times: 'once' | 'always',
): Promise<Outcome> {
	simulator.reset();
	const { node, parameters } = RUNS[way];
	const run = {
		node,
		// The rate gate is shared by all that use one key: each probe comes with its own.
		credential: { baseUrl: simulator.url, apiKey: acceptedKey(simulator, times) },
		onError: 'continueRegularOutput',
		parameters: {
			...parameters,
			// A task that cannot be seen is waited for until the end.
			waitOptions: {
				pollInterval: 2,
				maxWait: times === 'always' && !LARGE.test(fault) ? 30 : 600,
			},
			requestOptions: { maxRetries: MAX_RETRIES, ...(SILENT.test(fault) && { timeout: 10 }) },
		} as INodeParameters,
	} satisfies NodeRun;
	if (way === 'get') {
		const submit = { ...run, parameters: { ...run.parameters, operation: 'submit' } };
		run.parameters.taskId = String((await runNode(simulator, submit)).items[0]?.json.task_id);
		await systemClock.sleep(2_000);
	}
	const endpoint = endpointOf(way);
	simulator.inject({ endpoint, fault, ...(times === 'once' && { times: 1 }) });
	const { items } = await runNode(simulator, run);
	const [item] = items;
	const arrivals = simulator.requests.filter((request) => request.endpoint === endpoint);
	return {
		error: item?.json.error as IDataObject | undefined,
		items,
		requests: simulator.count(endpoint),
		gaps: arrivals.slice(1).map(({ at }, index) => at - arrivals[index]!.at),
		tasks: simulator.tasks.map(({ id }) => id),
	};
}

function acceptedKey(simulator: Simulator, key: string): string {
	simulator.acceptKey(key);
	return key;
}
