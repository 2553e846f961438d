import { type ICredentialType, type IDataObject, NodeConnectionTypes } from 'n8n-workflow';
import { runWorkflow } from '../../demo/engine';
import { GenerationServiceApi } from '../../credentials/GenerationServiceApi.credentials';

/**
 * What n8n's Test button does: it sends the credential's test request as the only request of a declarative node,
 * and looks the status of a refusal up in the credential's rules.
 * @returns the message that the user sees, or undefined when the credential works
 */
export async function testCredential(fields: IDataObject): Promise<string | undefined> {
	const credential: ICredentialType = new GenerationServiceApi();
	const { request, rules = [] } = credential.test!;
	const run = await runWorkflow({
		workflow: {
			nodes: [
				{
					id: 'test',
					name: 'Test',
					type: 'test.credential',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
					credentials: { [credential.name]: { id: '1', name: 'Service' } },
				},
			],
			connections: {},
		},
		nodeTypes: {
			'test.credential': {
				description: {
					displayName: 'Credential Test',
					name: 'credential',
					group: ['transform'],
					version: 1,
					description: 'Sends the test request of a credential',
					defaults: { name: 'Credential Test' },
					inputs: [NodeConnectionTypes.Main],
					outputs: [NodeConnectionTypes.Main],
					credentials: [{ name: credential.name, required: true }],
					properties: [
						{
							displayName: 'Request',
							name: 'request',
							type: 'string',
							default: '',
							routing: { request },
						},
					],
				},
			},
		},
		credentials: { [credential.name]: fields as never },
		credentialTypes: { [credential.name]: credential },
	});
	const { error } = run.data.resultData;
	if (error === undefined) return undefined;
	const status = 'httpCode' in error ? Number(error.httpCode) : undefined;
	const rule = rules.find(
		({ type, properties }) => type === 'responseCode' && properties.value === status,
	);
	return rule?.properties.message ?? error.message;
}
