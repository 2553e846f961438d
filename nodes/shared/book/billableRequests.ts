import type { IExecuteFunctions } from 'n8n-workflow';

/** One of the ten keys that an execution has; most are the user's. */
const KEY = 'billable_requests';

/**
 * Counts the billable requests of an execution, by all nodes of this package, in its custom data: n8n keeps it with every
 * execution, also with one that was stopped, and its API returns it.
 */
export function noteBillable(
	context: Partial<Pick<IExecuteFunctions, 'customData'>>,
	count: number,
): void {
	try {
		// Older versions of n8n have none.
		const { customData } = context;
		const known = Number(customData?.get(KEY) ?? 0);
		customData?.set(KEY, String(known + count));
	} catch {
		// The tools of an MCP Server Trigger have no execution.
	}
}
