import type { INodeExecutionData } from 'n8n-workflow';
import type { Scenario } from '../scenario/schema';
import { itemsOfScenario, workflowOfScenario } from '../scenario/workflow';

// A last execution, hours later: what an earlier one did not give back is missing to it.

/** Longer than any pause of a service, and than what the package remembers of a limit. */
export const PROBE_AFTER_MS = 3 * 3600_000;
/** When all of its requests are sent, and have arrived: at first one alone where all were refused before, then all others. */
export const PROBE_SENT_MS = 4_000;
/** As many as a node sends at once. */
export const PROBE_REQUESTS = 10;

/** Chats, or submissions where the scenario has some. */
export function probeWorkflow(scenario: Scenario): ReturnType<typeof workflowOfScenario> {
	const hasVideos = scenario.nodes.some(({ kind }) => kind === 'video');
	return workflowOfScenario({
		...scenario,
		shape: 'sequence',
		order: 'v1',
		split: undefined,
		failsAfter: undefined,
		timeoutWorkflow: undefined,
		nodes: [
			hasVideos
				? { kind: 'video', name: 'A', model: 'video-a', operation: 'submit', prompt: 'item' }
				: { kind: 'chat', name: 'A', model: 'chat-a', prompt: 'item' },
		],
	});
}

export function probeItems(): INodeExecutionData[] {
	return itemsOfScenario(
		Array.from({ length: PROBE_REQUESTS }, (_, index) => ({ p: `probe ${index}` })),
	);
}
