import type { WorkflowExecuteMode } from 'n8n-workflow';
import type { Scenario } from '../scenario/schema';

const CALLER = 'the caller of the workflow waits for its response';

const REASONS: Record<NonNullable<Scenario['caller']>, string | undefined> = {
	chat: CALLER,
	lastNode: CALLER,
	responseNode: CALLER,
	streaming: CALLER,
	onReceived: undefined,
	evaluation: undefined,
	'new engine': "the workflow uses n8n's new engine",
};

/** Why an execution cannot wait in n8n's database, as a hint says it; undefined if it can. */
export function whyInMemory(
	{ shape, order, caller }: Scenario,
	mode?: WorkflowExecuteMode,
): string | undefined {
	if (shape === 'agent') return 'an agent waits for the result of its tool';
	if (order === 'v0') return 'the workflow uses the old execution order (v0)';
	if (mode === 'evaluation') return 'n8n does not save this execution';
	return caller && REASONS[caller];
}
