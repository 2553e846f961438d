import '../../demo/n8nSettings';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { ListModels } from '../../nodes/ListModels/ListModels.node';

/**
 * What n8n's Test button does with a credential that a node tests: it calls the node's function, with a context that
 * has n8n's own request function.
 * @returns the message that the user sees, or undefined when the credential works
 */
export async function testCredential(
	fields: ICredentialDataDecryptedObject,
): Promise<string | undefined> {
	const context = new CredentialTestContext({} as IWorkflowExecuteAdditionalData);
	const { testConnection } = new ListModels().methods.credentialTest;
	const credential = { id: '1', name: 'Service', type: 'generationServiceApi', data: fields };
	const { status, message } = await testConnection.call(context, credential);
	return status === 'OK' ? undefined : message;
}
