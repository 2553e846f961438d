import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeProperties,
	ISupplyDataFunctions,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import {
	type Credential,
	Gateway,
	type GatewayOptions,
	type HostHelpers,
	logText,
	parseCredential,
} from '../../../gateway';
import { FormReader } from '../form/formReader';
import { readSendingOptions, type SendingOptions } from '../form/sharedProperties';
import { inTurns } from './turns';

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
	/**
	 * The gateway of an item's credential.
	 * @throws GatewayError when that credential is invalid
	 */
	gatewayOf: (item: number) => Gateway;
	/** The parameters of the node. */
	form: FormReader;
	/** Aborted when the execution is cancelled. */
	signal: AbortSignal | undefined;
	maxConcurrency: number;
}

/**
 * The service of the credential of a node, of a sub-node, which lives as long as its agent, or of the editor's dropdowns.
 * @throws GatewayError when the credential is invalid
 */
export async function openGateway(
	host: Host,
	options: SendingOptions,
	itemIndex = 0,
): Promise<Gateway> {
	const credential = await readCredential(host, itemIndex);
	return new Gateway(credential, { ...options, ...hostHelpers(host) });
}

type Host = IExecuteFunctions | ISupplyDataFunctions | ILoadOptionsFunctions;

const CREDENTIAL_TYPE = 'generationServiceApi';

/**
 * What takes the place of empty fields where n8n answers the requests itself: it evaluates workflows before they have
 * credentials, and n8n's own nodes check none (n8n-io/n8n#27818).
 */
const EVALUATED = { baseUrl: 'https://service.invalid', apiKey: 'evaluated' };

async function readCredential(host: Host, itemIndex: number): Promise<Credential> {
	const fields = await host.getCredentials<Record<string, unknown>>(CREDENTIAL_TYPE, itemIndex);
	if (additionalDataOf(host)?.evalLlmMockHandler === undefined) return parseCredential(fields);
	const set = Object.entries(fields).filter(([, value]) => value !== '');
	return parseCredential({ ...EVALUATED, ...Object.fromEntries(set) });
}

/** What n8n's own helpers read of an execution. n8n does not promise it. */
function additionalDataOf(host: Host): IWorkflowExecuteAdditionalData | undefined {
	return (host as Partial<{ additionalData: IWorkflowExecuteAdditionalData }>).additionalData;
}

/**
 * Connects a node that has items. It opens a gateway for each distinct credential: n8n evaluates the expressions in a credential
 * for each item, so that one workflow serves many customers, each with a key of their own.
 * @throws GatewayError for an option of the node, and NodeOperationError when the execution was cancelled meanwhile
 */
export async function connect(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<Service> {
	const form = new FormReader(context, properties);
	const options = readSendingOptions(form.sendingOptions());
	const gateways = new Map<number, Gateway>();
	const errors = new Map<number, unknown>();
	const byCredential = new Map<string, Gateway>();
	const open = async (item: number) => {
		try {
			const credential = await readCredential(context, item);
			const name = JSON.stringify(credential);
			const [any] = byCredential.values();
			const gateway =
				byCredential.get(name) ??
				any?.withCredential(credential) ??
				new Gateway(credential, { ...options, ...hostHelpers(context) });
			byCredential.set(name, gateway);
			gateways.set(item, gateway);
		} catch (error) {
			errors.set(item, error);
		}
	};
	await inTurns(context, context.getInputData().keys(), open);
	const gatewayOf = (item: number) => {
		const gateway = gateways.get(item);
		if (gateway === undefined) throw errors.get(item);
		return gateway;
	};
	const signal = context.getExecutionCancelSignal?.();
	return { context, properties, gatewayOf, form, signal, maxConcurrency: options.maxConcurrency };
}

/** Whether n8n logs at debug level: for a level that it hides, n8n's logger has a function without parameters. */
export function isDebugging({ logger }: Pick<Host, 'logger'>): boolean {
	return logger?.debug !== undefined && logger.debug.length > 0;
}

/**
 * What n8n lends to the gateway. n8n before 2.30 has no SSRF protection for nodes, and some contexts lack fields that their
 * type promises.
 */
function hostHelpers(host: Host): HostHelpers & Pick<GatewayOptions, 'writeDebugLine'> {
	const { helpers, logger } = host;
	const { evalLlmMockHandler, otel, executionId } = additionalDataOf(host) ?? {};
	const name = logText(host.getNode().name ?? '');
	return {
		// A debug line that nobody reads is not written.
		...(isDebugging(host) && { writeDebugLine: (line) => logger.debug(`${name}: ${line}`) }),
		egressFilter: helpers?.getSecureEgressFilter?.(),
		httpRequest: helpers?.httpRequest,
		isMocked: evalLlmMockHandler !== undefined,
		...(otel?.injectTraceHeaders &&
			executionId !== undefined && {
				addTraceHeaders: (headers) =>
					otel.injectTraceHeaders?.(executionId, host.getNode().name, headers),
			}),
	};
}
