import { hash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { runsAsTool } from './asTool';

/**
 * Runs of a node whose paid work is kept. A run that ends well is forgotten at once, so this many are left
 * only by a loop that fails again and again.
 */
const MOST_RUNS = 100;

/**
 * What this node already paid for in this execution, so that a re-run never pays twice. It lies in the node's
 * context, which survives Retry On Fail and is saved with a failed execution, from which n8n's Retry reloads it.
 * An entry belongs to one run of the node, one item and one request: a changed request is asked anew. As a tool of an
 * agent a node gets a new run for every call, also for a second try: there what is paid for and was not handed on
 * belongs to all runs.
 */
export class PaidWork<Entry extends IDataObject> {
	private readonly runs: Record<string, Record<string, Entry>>;
	private readonly run: string;
	/** What this run asked for. */
	private readonly asked = new Set<WorkKey>();

	/** @param kind names the entries in the node's context */
	constructor(context: IExecuteFunctions, kind: string) {
		const stored = context.getContext('node');
		stored[kind] ??= {};
		this.runs = stored[kind] as Record<string, Record<string, Entry>>;
		this.run = runsAsTool(context.getNode())
			? 'all runs'
			: `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
	}

	find(key: WorkKey): Entry | undefined {
		this.asked.add(key);
		return this.runs[this.run]?.[key];
	}

	remember(key: WorkKey, entry: Entry): void {
		const run = (this.runs[this.run] ??= {});
		run[key] = entry;
		const [oldest, ...others] = Object.keys(this.runs);
		if (others.length >= MOST_RUNS && oldest !== undefined) delete this.runs[oldest];
	}

	/** After a run that needs no repetition nothing has to be remembered of it. Another call of a tool may need one. */
	forgetRun(): void {
		const run = this.runs[this.run] ?? {};
		for (const key of this.asked) delete run[key];
		if (Object.keys(run).length === 0) delete this.runs[this.run];
	}
}

export type WorkKey = `${number} ${string}`;

/** What one item asks for: long requests would otherwise be stored once more in the execution's data. */
export function workKey(itemIndex: number, request: object): WorkKey {
	return `${itemIndex} ${hash('sha256', JSON.stringify(request), 'base64url')}`;
}
