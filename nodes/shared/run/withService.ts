import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { namedAsInForm } from '../form/parameterLabels';
import { connect, type Service } from './connect';
import { failAll, throwIfCancelled } from './eachItem';

/**
 * Runs a node that has items: connects it to the service before anything else is done with them.
 * @param properties of the node
 * @param fail makes the output of a node that cannot connect. Default: all items fail.
 * @throws NodeOperationError when the execution was cancelled or, with On Error "Stop Workflow", when it cannot connect
 */
export async function withService<Output>(
	context: IExecuteFunctions,
	properties: INodeProperties[],
	work: (service: Service) => Promise<Output>,
	fail = (error: unknown): INodeExecutionData[] => failAll(context, error),
): Promise<Output | INodeExecutionData[]> {
	// After a cancel, Retry On Fail still calls execute again.
	throwIfCancelled(context);
	if (context.getInputData().length === 0) return [];
	let service: Service;
	try {
		service = await connect(context, properties);
	} catch (error) {
		return fail(namedAsInForm(error, properties));
	}
	return await work(service);
}
