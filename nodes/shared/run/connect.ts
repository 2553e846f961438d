import type { IExecuteFunctions, INode, INodeProperties, Logger } from 'n8n-workflow';
import {
	Gateway,
	type GatewayOptions,
	type HostHelpers,
	logText,
	parseCredential,
} from '../../../gateway';
import { readCollection } from '../form/parameterValues';
import { readRequestOptions, type RequestOptions } from '../form/sharedProperties';

export const credentialType = 'generationServiceApi';

/** A dropdown loads, and a credential is tested, while a user waits in the editor: an early error is better than a long wait. */
export const IN_EDITOR = {
	maxConcurrency: 1,
	maxRetries: 0,
	timeoutMs: 20_000,
	skipsQueue: true,
};

/** The service as a node sees it during one execution. */
export interface Service {
	context: IExecuteFunctions;
	/** Of the node. */
	properties: INodeProperties[];
	gateway: Gateway;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
	maxConcurrency: number;
}

/**
 * Connects a node to the service of its credential.
 * @throws InvalidInputError when the credential or the request options are invalid
 */
export async function connect(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<Service> {
	const given = readCollection(context, 0, 'requestOptions');
	const options = readRequestOptions(given);
	const gateway = await openGateway(context, options);
	const signal = context.getExecutionCancelSignal?.();
	return { context, properties, gateway, signal, maxConcurrency: options.maxConcurrency };
}

/**
 * The service of the credential of a node, of a sub-node, which lives as long as its agent, or of the editor's dropdowns.
 * @throws InvalidInputError when the credential is invalid
 */
export async function openGateway(
	host: Host,
	options: RequestOptions,
	itemIndex = 0,
): Promise<Gateway> {
	const credential = parseCredential(await host.getCredentials(credentialType, itemIndex));
	return new Gateway(credential, { ...options, ...hostHelpers(host) });
}

interface Host {
	getNode(): INode;
	getCredentials(type: string, itemIndex: number): Promise<unknown>;
	/** Not every context of n8n has one. */
	logger?: Pick<Logger, 'debug'>;
	helpers: {
		httpRequest: IExecuteFunctions['helpers']['httpRequest'];
		getSecureEgressFilter?: () => NonNullable<HostHelpers['egressFilter']>;
	};
}

/** What n8n lends to the gateway. Older versions have no SSRF protection for nodes. */
function hostHelpers(host: Host): HostHelpers & Pick<GatewayOptions, 'writeDebugLine'> {
	const { helpers, logger } = host;
	const name = logText(host.getNode().name ?? '');
	// n8n puts a function without parameters in the place of a level that it hides: a line for nobody costs nothing.
	const isDebugging = logger?.debug !== undefined && logger.debug.length > 0;
	return {
		...(isDebugging && { writeDebugLine: (line) => logger.debug(`${name}: ${line}`) }),
		egressFilter: helpers?.getSecureEgressFilter?.(),
		httpRequest: helpers?.httpRequest,
	};
}
