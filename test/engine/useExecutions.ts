import type { NodeResult, NodeRun } from './runNode';

/**
 * What executes a node as n8n does in the order of a test: the first execution, then Retries, each with what n8n stored of
 * the one before.
 */
export function useExecutions(run: (node: NodeRun) => Promise<NodeResult>) {
	let last: NodeResult | undefined;
	let count = 0;
	beforeEach(() => {
		last = undefined;
		count = 0;
	});
	return async (node: NodeRun): Promise<NodeResult> => {
		const retry = { executionId: `${(count += 1)}`, ...(last && { retryData: last.run.data }) };
		return (last = await run({ ...node, ...retry }));
	};
}
