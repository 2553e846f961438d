import type { INodeProperties, ISupplyDataFunctions, SupplyData } from 'n8n-workflow';
import { agentRequest } from '../../gateway';
import {
	additionalBody,
	readMaxBillableRequests,
	readSendingOptions,
} from '../shared/form/sharedProperties';
import { requestFields } from '../shared/form/chatOptions';
import { FormReader } from '../shared/form/formReader';
import { openGateway } from '../shared/run/connect';
import { forEditor, nodeError } from '../shared/run/errorText';
import { SpendingLimit } from '../shared/book/spendingLimit';
import { readModel } from '../shared/editor/modelLocator';
import { namedAsInForm } from '../shared/form/parameterLabels';
import { GatewayChatModel } from './gatewayChatModel';
import { likeOtherModels } from './likeOtherModels';

type AiNodeSdk = typeof import('@n8n/ai-node-sdk');

/**
 * Makes the model of an agent. It calls the service through the gateway, as Chat Completion does: one rate limiter, the
 * same retries, no request to any other path, and the key only in its header.
 * @throws NodeOperationError when a parameter or the credential is not usable
 */
export async function supplyChatModel(
	context: ISupplyDataFunctions,
	itemIndex: number,
	properties: INodeProperties[],
): Promise<SupplyData> {
	// Loaded for the first agent: it takes a second and a thousand files. By `require`, since n8n lets its own packages be found
	// through NODE_PATH, which an `import` ignores.
	const sdk = require('@n8n/ai-node-sdk') as AiNodeSdk;
	const thrown = (error: unknown, item?: number) =>
		forEditor(context, nodeError(context, namedAsInForm(error, properties), item));
	// With this mark n8n shows the error of a call at this node, and links to it from the agent. A call does not name its item.
	const toNodeError = (error: unknown) =>
		Object.assign(thrown(error), { functionality: 'configuration-node' as const });
	try {
		const form = new FormReader(context, properties);
		const options = form.collection('options', itemIndex);
		const gateway = await openGateway(
			context,
			readSendingOptions(form.sendingOptions(itemIndex)),
			itemIndex,
		);
		const model = readModel(form.read('model', itemIndex));
		const fields = requestFields(options);
		const body = additionalBody(options);
		// Bad options fail when the agent starts, not in the middle of its work.
		agentRequest({ model, messages: [{ role: 'user' }], ...fields }, body);
		const spending = new SpendingLimit(context);
		const max = readMaxBillableRequests(options);
		const chatModel = new GatewayChatModel(model, {
			gateway,
			toRequest({ stop, ...question }) {
				const stops = [fields.stop || [], stop].flat();
				const merged = { ...fields, stop: stops.length > 0 ? stops : undefined };
				return agentRequest({ model, ...merged, ...question }, body);
			},
			spend: (send) => spending.spend(1, max, send),
			toJsonSchema: sdk.getParametersJsonSchema,
			toNodeError,
			signal: context.getExecutionCancelSignal?.(),
		});
		const supplied = sdk.supplyModel(context, chatModel);
		const redact = (text: string) => gateway.redactError(text);
		return { ...supplied, response: likeOtherModels(supplied.response, { toNodeError, redact }) };
	} catch (error) {
		// n8n shows an error before any call at this node, unless the error has that mark.
		throw thrown(error, itemIndex);
	}
}
