import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeProperties,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import {
	Gateway,
	type GatewayOptions,
	type HostHelpers,
	logText,
	parseCredential,
} from '../../../gateway';
import type { FormReader } from '../form/formReader';
import type { RequestOptions } from '../form/sharedProperties';

/** How long the editor waits for a dropdown or the Test button, in milliseconds. */
export const IN_EDITOR_MS = 20_000;

/** A dropdown loads, and a credential is tested, while a user waits in the editor: an early error is better than a long wait. */
export const IN_EDITOR = {
	maxConcurrency: 1,
	maxRetries: 0,
	timeoutMs: IN_EDITOR_MS,
	skipsQueue: true,
};

/** The service as a node sees it during one execution. */
export interface Service {
	context: IExecuteFunctions;
	/** The properties of the node. */
	properties: INodeProperties[];
	gateway: Gateway;
	/** The parameters of the node. */
	form: FormReader;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
	maxConcurrency: number;
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
	const credential = parseCredential(await host.getCredentials('generationServiceApi', itemIndex));
	return new Gateway(credential, { ...options, ...hostHelpers(host) });
}

type Host = IExecuteFunctions | ISupplyDataFunctions | ILoadOptionsFunctions;

/** Whether n8n logs at debug level: for a level that it hides, n8n's logger has a function without parameters. */
export function isDebugging({ logger }: Pick<Host, 'logger'>): boolean {
	return logger?.debug !== undefined && logger.debug.length > 0;
}

/**
 * What n8n lends to the gateway. Older versions of n8n have no SSRF protection for nodes, and some contexts lack fields that
 * their type promises.
 */
function hostHelpers(host: Host): HostHelpers & Pick<GatewayOptions, 'writeDebugLine'> {
	const { helpers, logger } = host;
	const name = logText(host.getNode().name ?? '');
	return {
		// A debug line that nobody reads is not written.
		...(isDebugging(host) && { writeDebugLine: (line) => logger.debug(`${name}: ${line}`) }),
		egressFilter: helpers?.getSecureEgressFilter?.(),
		httpRequest: helpers?.httpRequest,
	};
}
