import type {
	EngineRequest,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import type { Service } from '../run/connect';
import { withService } from '../run/withService';
import type { RequestParameters } from './requestIdentity';
import { openLedger, type RequestLedger } from './requestLedger';
import { SpendingLimit } from './spendingLimit';

/** A node that orders something billable. */
interface PayingNode {
	properties: INodeProperties[];
	/** Names its paid work in its context. */
	kind: string;
	requestParameters: RequestParameters;
}

/** What its run works with. */
export interface PaidRun<Work extends IDataObject> {
	service: Service;
	ledger: RequestLedger<Work>;
	spending: SpendingLimit;
}

/**
 * Runs a node that orders something billable, as {@link withService} does, with what its earlier tries paid for. What
 * becomes of that depends on the output: a run that throws, or asks n8n to be run again, keeps it.
 */
export async function withLedger<
	Work extends IDataObject,
	Output extends INodeExecutionData[] | EngineRequest,
>(
	context: IExecuteFunctions,
	{ properties, kind, requestParameters }: PayingNode,
	work: (run: PaidRun<Work>) => Promise<Output>,
	fail?: (error: unknown) => INodeExecutionData[],
): Promise<Output | INodeExecutionData[]> {
	const paid = async (service: Service) => {
		const ledger = openLedger<Work>(service, kind, requestParameters);
		let items: INodeExecutionData[] | undefined;
		try {
			const output = await work({ service, ledger, spending: new SpendingLimit(context) });
			if (Array.isArray(output)) items = output;
			return output;
		} finally {
			ledger.end(items);
		}
	};
	return await withService(context, properties, paid, fail);
}
