import '../../demo/n8nSettings';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { ListModels } from '../../nodes/ListModels/ListModels.node';

/**
 * Does what n8n does when the user tests a credential: calls the node's test function with n8n's own request helper.
 * @returns the message that the user sees, or undefined if the credential works
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
