import {
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	ICredentialsHelper,
	type ICredentialType,
	type IExecuteData,
	type IHttpRequestOptions,
	type INode,
	type INodeParameters,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

type Fields = ICredentialDataDecryptedObject;
type RequestPart = Record<string, string>;

/** By the credential's type, or by its type and its name. */
export type KnownFields =
	| Record<string, Fields>
	| ((type: string, name: string) => Fields | undefined);

/** Gives nodes the credentials of the run, with their expressions evaluated, and without a database or encryption. */
export class FixedCredentials extends ICredentialsHelper {
	constructor(
		private readonly fields: KnownFields,
		private readonly types: Record<string, ICredentialType>,
	) {
		super();
	}

	async getDecrypted(
		_data: IWorkflowExecuteAdditionalData,
		{ name }: { name: string },
		type: string,
		mode?: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		item?: ICredentialsExpressionResolveValues,
	): Promise<Fields> {
		const { fields: known } = this;
		const fields = typeof known === 'function' ? known(type, name) : known[type];
		if (fields === undefined) throw new Error(`No credential of type ${type}`);
		const stored = await Promise.resolve({ ...fields });
		if (raw || !item || !mode) return stored;
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = item;
		const values = workflow.expression.getParameterValue(
			stored as INodeParameters,
			...([runExecutionData, runIndex, itemIndex, node.name, connectionInputData, mode] as const),
			{},
			executeData,
			false,
			stored as INodeParameters,
		);
		return values as Fields;
	}

	/** What n8n does with requests of its HTTP Request node and of credential tests: it applies the type's `authenticate`. */
	async authenticate(
		credentials: Fields,
		type: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const request = options as IHttpRequestOptions;
		const rule = this.types[type]?.authenticate;
		if (typeof rule === 'function') return await rule(credentials, request);
		const resolve = (value: unknown) =>
			String(
				workflow.expression.getSimpleParameterValue(node, String(value), 'internal', {
					$credentials: credentials,
				}),
			);
		const parts = Object.entries(rule?.properties ?? {}).map(([part, entries]) => {
			const existing = request[part as keyof IHttpRequestOptions] as RequestPart | undefined;
			const added = Object.entries(entries as object).map(([name, value]) => [
				name,
				resolve(value),
			]);
			return [part, { ...existing, ...Object.fromEntries(added) }];
		});
		return { ...request, ...Object.fromEntries(parts) } as IHttpRequestOptions;
	}

	getCredentialsProperties(type: string) {
		return this.types[type]?.properties ?? [];
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async getCredentials(): Promise<never> {
		return await Promise.reject(new Error('Only getDecrypted is supported'));
	}

	async updateCredentials(): Promise<void> {
		await Promise.resolve();
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await Promise.resolve();
	}
}
