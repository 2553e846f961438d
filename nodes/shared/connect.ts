import type { IExecuteFunctions, ILoadOptionsFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { allowManyListeners, type EgressFilter, Gateway, parseCredential } from '../../gateway';
import { readRequestOptions, type RequestOptions } from './requestOptions';

export const credentialType = 'generationServiceApi';

/** A dropdown is filled, and a credential tested, while someone looks at it: better an early error than a long wait. */
export const WHILE_SOMEONE_LOOKS = {
	maxConcurrency: 1,
	maxRetries: 0,
	timeoutMs: 20_000,
	skipsLine: true,
};

/** The service as a node sees it during one execution. */
export interface Service {
	context: IExecuteFunctions;
	gateway: Gateway;
	/** Of the credential, cleaned. */
	baseUrl: string;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
	maxConcurrency: number;
	maxRetries: number;
	timeoutMs: number;
}

/**
 * Connects a node to the service of its credential.
 * @throws InvalidInputError when the credential or the request options are not usable
 */
export async function connect(context: IExecuteFunctions): Promise<Service> {
	const options = readRequestOptions(context);
	const connection = parseCredential(await context.getCredentials(credentialType, 0));
	const signal = context.getExecutionCancelSignal();
	if (signal !== undefined) allowManyListeners(signal);
	const gateway = new Gateway(connection, {
		...options,
		egressFilter: egressFilterOf(context.helpers),
	});
	return { context, gateway, baseUrl: connection.baseUrl, signal, ...options };
}

/**
 * Connects a sub-node, which lives as long as the agent that asks it.
 * @throws InvalidInputError when the credential is not usable
 */
export async function connectSubNode(
	context: ISupplyDataFunctions,
	itemIndex: number,
	options: RequestOptions,
): Promise<Gateway> {
	const connection = parseCredential(await context.getCredentials(credentialType, itemIndex));
	return new Gateway(connection, { ...options, egressFilter: egressFilterOf(context.helpers) });
}

/** Connects the editor's dropdowns. */
export async function connectEditor(context: ILoadOptionsFunctions): Promise<Gateway> {
	const connection = parseCredential(await context.getCredentials(credentialType));
	return new Gateway(connection, {
		...WHILE_SOMEONE_LOOKS,
		egressFilter: egressFilterOf(context.helpers),
	});
}

/** n8n's SSRF protection, which older versions do not hand to nodes. */
function egressFilterOf(helpers: {
	getSecureEgressFilter?: () => EgressFilter;
}): EgressFilter | undefined {
	return helpers.getSecureEgressFilter?.();
}
