import '../../demo/n8nSettings';
import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import type { ModelOutput } from '../../gateway';
import { searchModels } from '../../nodes/shared/editor/modelLocator';

/** What the dropdown of a model shows for a search, with n8n's own request helper. */
export async function modelDropdown(output: ModelOutput, credential: IDataObject, text?: string) {
	const node = { name: 'Node', type: 'test.node' };
	const { helpers, logger } = new LoadOptionsContext({} as never, node as never, {} as never, '');
	const context = {
		helpers,
		logger,
		getNode: () => node,
		getCredentials: async () => await Promise.resolve(credential),
	} as unknown as ILoadOptionsFunctions;
	return await searchModels(output).call(context, text);
}
