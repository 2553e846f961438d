import type { INodeParameters } from 'n8n-workflow';
import { ENDPOINTS, FACTS, type KnownEndpoint } from '../../simulator/endpoints';
import type { NodeRun } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

/** The kinds of requests: one for each endpoint. `poll` is a poll while waiting, `get` a single one. */
export type RequestKind = KnownEndpoint | 'get';
export const REQUEST_KINDS: readonly RequestKind[] = ENDPOINTS.flatMap((endpoint) =>
	endpoint === 'poll' ? [endpoint, 'get' as const] : [endpoint],
);

interface KindFacts {
	/** In the table of the page. */
	title: string;
	/** A run of a node that sends it. */
	run: NodeRun;
	/** The test file that plays every fault on it. */
	testedIn: 'chatFaults' | 'submissionFaults' | 'taskFaults';
	/** Parameters of the run for a task that was submitted before the fault. */
	ofExistingTask?: INodeParameters;
	/** The run submits no task itself. */
	submitsNothing?: true;
}

const chat = (stream: boolean) => chatNode({ options: { stream } });

export const KINDS: Record<RequestKind, KindFacts> = {
	chat: { title: 'chat', run: chat(false), testedIn: 'chatFaults' },
	chatStream: { title: 'chat stream', run: chat(true), testedIn: 'chatFaults' },
	models: {
		title: 'model list',
		run: { node: 'listModels', parameters: { returnAll: true } },
		testedIn: 'submissionFaults',
	},
	submit: { title: 'submit video', run: videoNode({}), testedIn: 'submissionFaults' },
	poll: {
		title: 'wait for video',
		run: videoNode({}),
		testedIn: 'taskFaults',
		ofExistingTask: { operation: 'wait' },
	},
	get: {
		title: 'get video',
		run: videoNode({ operation: 'get' }),
		testedIn: 'submissionFaults',
		ofExistingTask: { operation: 'get' },
		submitsNothing: true,
	},
	download: {
		title: 'download',
		run: videoNode({ download: true }),
		testedIn: 'taskFaults',
		ofExistingTask: { operation: 'wait', download: true },
	},
};

/** The endpoint of the simulator for this kind of request. */
export const endpointOf = (kind: RequestKind): KnownEndpoint => (kind === 'get' ? 'poll' : kind);

export const isBillable = (kind: RequestKind) => FACTS[endpointOf(kind)].billable;

/** The column of the page's table: billable requests are in one. */
export const columnOf = (kind: RequestKind) =>
	isBillable(kind) ? 'billable request' : KINDS[kind].title;

/** MiB of a very large response: more than what may come before a stream begins, than a list of models, and than any other. */
const OVERSIZED: Partial<Record<RequestKind, number>> = { chatStream: 33, models: 17 };
export const oversizedBytes = (kind: RequestKind) => (OVERSIZED[kind] ?? 4) * 1024 * 1024;
