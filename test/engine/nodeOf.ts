import type { INode, INodeParameters } from 'n8n-workflow';

/** A node of a workflow, with the credential of the tests. */
export const nodeOf = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters,
	credentials: { generationServiceApi: { id: '1', name: 'Service' } },
});
