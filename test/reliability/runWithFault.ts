import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../gateway';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { bytesOf } from '../../demo/engine';
import { RequestClock } from '../clock/requestClock';
import { type NodeResult, type NodeRun, runNode } from '../engine/runNode';
import { CONNECTION_FAULTS } from './connectionFaults';
import { TcpRelay } from './tcpRelay';
import { endpointOf, KINDS, oversizedBytes, type RequestKind } from './requestKinds';
import { MAX_RETRIES, MAX_WAIT, POLL_INTERVAL, TIMEOUT } from './expected';

/** What the user gets and what the service receives. */
export interface Outcome {
	/** The error of the item, or undefined if the item is good. */
	error: IDataObject | undefined;
	/** The error that stopped the workflow. */
	thrown: NodeResult['error'];
	/** The good items, without values that differ in each run. */
	items: Array<Record<string, unknown>>;
	/** Seconds between the requests of this kind. */
	pauses: number[];
	/** The IDs of the submitted tasks. */
	tasks: string[];
}

export interface FaultRun {
	kind: RequestKind;
	/** Default: no fault. */
	fault?: string;
	/** The fault affects one request, every request, or every request of a node with Stop Workflow. */
	times: 'once' | 'always' | 'stopping';
	tls?: SimulatorOptions['tls'];
}

/** Faults that need a chat with tool calls. */
const NEEDS_TOOLS = /^tool-/;
const TOOL_CALL_RUN: NodeRun = {
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
const waitOptions = { pollInterval: POLL_INTERVAL, maxWait: MAX_WAIT };
const sendingOptions = { maxRetries: MAX_RETRIES, timeout: TIMEOUT };

/** A new key for each run, because a rate limiter is shared per key. */
let keys = 0;

/** Runs a node in the engine while the service or the network has a fault. */
export async function runWithFault({ kind, fault = '', times, tls }: FaultRun): Promise<Outcome> {
	const time = new RequestClock();
	const connectionFault = CONNECTION_FAULTS.find(({ name }) => name === fault);
	const simulator = await startSimulator({
		now: time.now,
		after: time.after,
		videoSeconds: 1,
		slowMs: 20,
		// Time stands still until they are read.
		breakMs: 0,
		oversizedBytes: oversizedBytes(kind),
		...(connectionFault?.tls && tls && { tls }),
	});
	const relay = connectionFault && new TcpRelay(new URL(simulator.url), time.now);
	await relay?.open();
	try {
		const run = prepare(kind, fault, times, simulator, relay?.url);
		const { submitsNothing, ofExistingTask } = KINDS[kind];
		if (submitsNothing || (connectionFault && ofExistingTask))
			await useExistingTask(run, kind, time, simulator);
		const endpoint = endpointOf(kind);
		const received = () =>
			simulator.requests.filter((request) => request.endpoint === endpoint).map(({ at }) => at);
		// After the repair, further connections belong to later requests.
		const arrivals = () => {
			const [first = Infinity] = received();
			return relay ? relay.attempts.filter((at) => at <= first) : received();
		};
		await relay?.fail(connectionFault?.failure, kind === 'download');
		if (connectionFault && !connectionFault.failure) run.credential.ignoreSslIssues = false;
		if (fault && !connectionFault)
			simulator.inject({ endpoint, fault, ...(times === 'once' && { times: 1 }) });

		let repairing: Promise<void> | undefined;
		let isBlocked = relay !== undefined && times === 'once';
		const isReady = () => {
			if (isBlocked && relay?.attempts.length)
				repairing ??= relay.repair().then(() => void (isBlocked = false));
			return repairing === undefined || !isBlocked;
		};
		const result = await time.until(runNode(simulator, run), isReady);
		await repairing;
		return await outcomeOf(result, simulator, arrivals());
	} finally {
		await relay?.close();
		await simulator.close();
		time.restore();
	}
}

function prepare(
	kind: RequestKind,
	fault: string,
	times: FaultRun['times'],
	simulator: Simulator,
	baseUrl = simulator.url,
) {
	const apiKey = `key-${++keys}`;
	simulator.acceptKey(apiKey);
	const { node, parameters = {} } = NEEDS_TOOLS.test(fault) ? TOOL_CALL_RUN : KINDS[kind].run;
	return {
		node,
		// The certificate of the tests is accepted, unless it is the fault.
		parameters: {
			...parameters,
			waitOptions,
			options: { ...Object(parameters.options), ...sendingOptions },
		},
		credential: { baseUrl, apiKey, ignoreSslIssues: true as boolean },
		...(times !== 'stopping' && { onError: 'continueRegularOutput' }),
	} satisfies NodeRun;
}

/** Submits a video before the fault and makes the run use its finished task. */
async function useExistingTask(
	run: NodeRun,
	kind: RequestKind,
	time: RequestClock,
	simulator: Simulator,
) {
	const submit = { ...run, parameters: { ...run.parameters, operation: 'submit' } };
	const [task] = (await time.until(runNode(simulator, submit))).items;
	await time.until(systemClock.sleep(1000 * POLL_INTERVAL));
	Object.assign(run.parameters, KINDS[kind].ofExistingTask, { taskId: String(task?.json.task_id) });
	if (kind !== 'download') return;
	// The connection for polls stays open, so the fault affects only the download.
	const get = { ...run, parameters: { ...run.parameters, operation: 'get', download: false } };
	await time.until(runNode(simulator, get));
}

async function outcomeOf({ items, error }: NodeResult, simulator: Simulator, at: number[]) {
	const goodItems = items.filter(({ json }) => !('error' in json));
	const [failed, ...more] = items.filter(({ json }) => 'error' in json);
	if (more.length > 0) throw new Error('One video failed, and there are several error items');
	return {
		error: failed?.json.error as IDataObject | undefined,
		thrown: error,
		items: await Promise.all(
			goodItems.map(async (item) => ({
				...normalize(item.json),
				...(item.binary && { video: (await bytesOf(item)).toString('base64') }),
			})),
		),
		pauses: at.slice(1).map((moment, index) => Math.round(moment - at[index]!) / 1000),
		tasks: simulator.tasks.map(({ id }) => id),
	};
}

/** Removes IDs, times and ports, which differ in each run. */
function normalize(json: IDataObject): IDataObject {
	// Only the run that submitted a task has these fields.
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
