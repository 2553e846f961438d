import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** Entries one node keeps in one execution. The oldest makes room: a run of this many paid items is past every use. */
const MOST_ENTRIES = 20_000;

/**
 * What this node already paid for in this execution, so that a re-run never pays twice. It lies in the node's
 * context, which survives Retry On Fail and is saved with a failed execution, from which n8n's Retry reloads it.
 * An entry belongs to one run of the node, one item and one request: a changed request is asked anew.
 */
export class PaidWork<Entry extends IDataObject> {
	private readonly entries: Record<string, Entry>;
	private readonly run: string;

	constructor(context: IExecuteFunctions, kind: string) {
		const stored = context.getContext('node');
		stored[kind] ??= {};
		this.entries = stored[kind] as Record<string, Entry>;
		this.run = String(context.evaluateExpression('{{ $runIndex }}', 0));
	}

	find(itemIndex: number, request: object): Entry | undefined {
		return this.entries[this.key(itemIndex, request)];
	}

	remember(itemIndex: number, request: object, entry: Entry): void {
		this.entries[this.key(itemIndex, request)] = entry;
		const keys = Object.keys(this.entries);
		if (keys.length > MOST_ENTRIES) delete this.entries[keys[0]!];
	}

	forget(itemIndex: number, request: object): void {
		delete this.entries[this.key(itemIndex, request)];
	}

	/** After a run that needs no repetition nothing has to be remembered of it. */
	forgetRun(): void {
		for (const key of Object.keys(this.entries)) {
			if (key.startsWith(`${this.run}/`)) delete this.entries[key];
		}
	}

	private key(itemIndex: number, request: object): string {
		const hash = createHash('sha256').update(JSON.stringify(request)).digest('base64url');
		return `${this.run}/${itemIndex}/${hash}`;
	}
}
