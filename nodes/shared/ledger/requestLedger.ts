import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { runsAsTool } from '../run/asTool';
import type { Service } from '../run/connect';
import { requestIdentities, type RequestIdentity, type RequestParameters } from './requestIdentity';
import { ToolLedger, workOfTools } from './toolLedger';

/**
 * Runs of a node whose paid work is kept. Only the last one can be repeated; a run that needs no repetition is forgotten
 * at once, so only a loop that fails again and again leaves this many. They may be large.
 */
const MAX_RUNS = 10;

/** The paid work of one item. */
export interface LedgerEntry<Work> {
	/** What an earlier try paid for. */
	read: () => Work | undefined;
	write: (work: Work) => void;
}

/** What a node already paid for in this execution, so that a second try never pays twice. */
export interface RequestLedger<Work> {
	entryOf: (itemIndex: number, request: object) => LedgerEntry<Work>;
	/** The run is over: with these items, or (undefined) with an error that it throws. */
	end: (items: INodeExecutionData[] | undefined) => void;
}

/**
 * Opens the ledger of a node. It is stored in the node's context, which survives Retry On Fail and is saved with a failed
 * execution, from which n8n's Retry reloads it.
 * @param kind names the work in the node's context
 */
export function openLedger<Work extends IDataObject>(
	service: Service,
	kind: string,
	parameters: RequestParameters,
): RequestLedger<Work> {
	const { context } = service;
	const runs = runsOf<Work>(context, kind);
	const identityOf = requestIdentities(service, parameters);
	const ledger = runsAsTool(context.getNode())
		? new ToolLedger(runs)
		: new RunLedger(context, runs);
	return {
		entryOf(itemIndex, request) {
			const place = ledger.placeOf(itemIndex, identityOf(itemIndex, request));
			return { read: () => ledger.read(place), write: (work) => ledger.write(place, work) };
		},
		end: (items) => ledger.end(items),
	};
}

/**
 * What earlier tries of this run paid for and have not returned, in order of items. It needs no connection.
 * @param kind as in {@link openLedger}
 */
export function paidWork<Work>(
	context: IExecuteFunctions,
	kind: string,
): Array<{ itemIndex: number; work: Work }> {
	const runs = runsOf<Work>(context, kind);
	const places = runsAsTool(context.getNode()) ? workOfTools(runs) : runs[nameOfRun(context)];
	return Object.entries(places ?? {})
		.map(([place, work]) => ({ itemIndex: parseInt(place, 10), work }))
		.sort((a, b) => a.itemIndex - b.itemIndex);
}

function runsOf<Work>(context: IExecuteFunctions, kind: string) {
	const stored = contextOf(context);
	return (stored[kind] ??= {}) as Record<string, Record<string, Work>>;
}

function nameOfRun(context: IExecuteFunctions): string {
	return `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
}

/**
 * The tools of an MCP Server Trigger and of n8n's own Agents run without execution data, where n8n keeps no context:
 * there the ledger lasts as long as the call.
 */
function contextOf(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node');
	} catch {
		return {};
	}
}

/** The paid work of one run of a node. */
class RunLedger<Work> {
	private readonly run: string;
	/** The places of an earlier try, by the form and by the request of their item. */
	private readonly earlier = new Map<string, string>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly runs: Record<string, Record<string, Work>>,
	) {
		this.run = nameOfRun(context);
		for (const place of Object.keys(runs[this.run] ?? {})) {
			const [item, form, request] = place.split(' ');
			this.earlier.set(`${item} ${request}`, place).set(`${item} ${form}`, place);
		}
	}

	placeOf(itemIndex: number, { form, request }: RequestIdentity): string {
		const sameForm = this.earlier.get(`${itemIndex} ${form}`);
		if (sameForm !== undefined) return sameForm;
		const fingerprint = request();
		return this.earlier.get(`${itemIndex} ${fingerprint}`) ?? `${itemIndex} ${form} ${fingerprint}`;
	}

	read(place: string): Work | undefined {
		return this.runs[this.run]?.[place];
	}

	write(place: string, work: Work): void {
		(this.runs[this.run] ??= {})[place] = work;
		const [oldest, ...others] = Object.keys(this.runs);
		if (others.length >= MAX_RUNS && oldest !== undefined) delete this.runs[oldest];
	}

	end(items: INodeExecutionData[] | undefined): void {
		if (items !== undefined && !this.isRepeated(items)) delete this.runs[this.run];
	}

	/** With a "Continue" setting n8n's Retry On Fail repeats a run whose first item is an error, and no other. */
	private isRepeated([first]: INodeExecutionData[]): boolean {
		return this.context.getNode().retryOnFail === true && first?.json.error !== undefined;
	}
}
