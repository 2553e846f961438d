import type * as Flatted from 'flatted' with { 'resolution-mode': 'import' };
import type { INodeParameters, IRunExecutionData } from 'n8n-workflow';
import type { Book } from '../../../nodes/shared/book/schema';
import type { NodeResult, NodeRun } from '../../engine/runNode';
import { useVirtualTime } from '../../engine/useVirtualTime';

export const VIDEO_S = 90;
export const ENDLESS = '[fault:task-endless]';
export const continues = { onError: 'continueRegularOutput' } as const;

export const { time, simulator, runNode } = useVirtualTime({ videoSeconds: VIDEO_S });

/** The serializer of n8n's database, which writes each object and text once. It has types for imports alone. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { stringify } = require('flatted') as typeof Flatted;

/** The size of what n8n's database keeps of a value. */
export const storedCharacters = (value: unknown) => stringify(value).length;

interface Waiting extends Partial<Omit<NodeRun, 'node' | 'items'>> {
	prompts?: string[];
	waitOptions?: INodeParameters;
}

/** A Video Generation node that waits for a video of each prompt in n8n's database. */
export function waitingNode(waiting: Waiting = {}): NodeRun {
	const { prompts = ['A boat'], parameters, waitOptions, ...rest } = waiting;
	return {
		node: 'videoGeneration',
		settings: { executionOrder: 'v1' },
		items: prompts.map((prompt) => ({ prompt })),
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { waitIn: 'database', maxWait: 600, ...waitOptions },
			...parameters,
		},
		...rest,
	};
}

/** Waits for a task that was submitted before. */
export async function submitted(): Promise<INodeParameters> {
	const { items } = await runNode(waitingNode({ parameters: { operation: 'submit' } }));
	return { operation: 'wait', taskId: items[0]?.json.task_id as string };
}

/** What n8n stores of the paid work of the node. */
export function bookIn({ executionData }: IRunExecutionData): Partial<Book> {
	return executionData?.contextData['node:Node']?.['paidWork of run 0'] as Partial<Book>;
}

/** The hints about the wait. */
export const hintsOf = ({ hints }: NodeResult) =>
	hints.filter((message) => !message.includes('not downloaded'));
