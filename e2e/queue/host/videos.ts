import { type NodeGiven, ours } from '../../browser/workflow';
import { until } from '../../host/until';
import type { Cluster } from './cluster';

/** Long enough for an execution that is resumed late or after a restart. */
const MAX_MS = 500_000;

/** Scales the number of executions down on a weak machine. */
const SCALE = Number(process.env.QUEUE_SCALE ?? 1);
export const scaled = (count: number): number => Math.max(4, Math.round(count * SCALE));

export function webhook(path: string, responseMode = 'onReceived'): NodeGiven {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		parameters: { httpMethod: 'POST', path, responseMode, options: {} },
		webhookId: path,
	};
}

export function video(waitIn: 'memory' | 'database', parameters: object = {}): NodeGiven {
	return ours('Video', 'videoGeneration', {
		model: { __rl: true, mode: 'id', value: 'kite-motion' },
		prompt: 'A boat',
		waitOptions: { waitIn },
		...parameters,
	});
}

/** Calls a webhook many times, a few at once. */
export async function callWebhook(
	{ main }: Pick<Cluster, 'main'>,
	path: string,
	times = 1,
	body?: object,
): Promise<Response[]> {
	const request = {
		method: 'POST',
		...(body !== undefined && {
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	};
	const responses: Response[] = [];
	let left = times;
	const caller = async () => {
		while (left > 0) {
			left -= 1;
			responses.push(await fetch(`${main.url}/webhook/${path}`, request));
		}
	};
	await Promise.all(Array.from({ length: 8 }, caller));
	return responses;
}

/** The statuses of an execution that has ended. */
export const ended = ['success', 'error', 'crashed', 'canceled'];

/** Waits until this many executions have one of the statuses. */
export async function untilCounted(
	{ api }: Cluster,
	workflow: string,
	status: string[],
	count: number,
): Promise<void> {
	await until(async () => (await api.countExecutions(workflow, status)) >= count, MAX_MS);
}

/** n8n's Split Out: one item for each entry of a list. */
export function splitOut(name: string, field: string): NodeGiven {
	return {
		name,
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: field, options: {} },
	};
}

/** The trigger of a sub-workflow, which gets the items of its caller. */
export const called: NodeGiven = {
	name: 'Called',
	type: 'n8n-nodes-base.executeWorkflowTrigger',
	typeVersion: 1.1,
	parameters: { inputSource: 'passthrough' },
};

/** n8n's Execute Workflow, which waits for the sub-workflow. */
export function call(name: string, workflow: string, mode: 'once' | 'each' = 'once'): NodeGiven {
	return {
		name,
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: workflow },
			mode,
			options: { waitForSubWorkflow: true },
		},
	};
}
