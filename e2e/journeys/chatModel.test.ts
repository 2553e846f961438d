import { Canvas } from '../browser/canvas';
import { type Journey, journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { manualStart, withChatModel, workflowOf } from '../browser/workflow';

const chain = {
	name: 'Chain',
	type: '@n8n/n8n-nodes-langchain.chainLlm',
	typeVersion: 1.7,
	parameters: { promptType: 'define', text: 'Why is the sky blue?' },
};

/**
 * Executes a chain with a chat model, and opens the node that failed.
 * @returns message and description of its error
 */
async function errorOf({ api, page, credential }: Journey, model: string, options: object) {
	const row = workflowOf(`A chain with ${model}`, credential, [manualStart, chain]);
	const parameters = { model: { __rl: true, mode: 'id', value: model }, options };
	const canvas = new Canvas(page);
	await canvas.open(await api.createWorkflow(withChatModel(row, credential, parameters)));
	await canvas.openNode(chain.name);
	const node = new NodeView(page);
	await node.execute();
	await node.openErroredNode();
	return await node.error();
}

journey('an invalid option of the chat model is an error of its own node', async (given) => {
	const [message, description] = await errorOf(given, 'heron-chat', { temperature: '=hot' });
	expect(message).toContain('Temperature must be a number from 0 to 2 (it is "hot")');
	expect(description).toContain('Nothing was sent to the service');
	await given.screenshot('the error');
});

journey('an invalid response is an error of the chat model node', async (given) => {
	const [message, description] = await errorOf(given, 'fault-html-200', {});
	expect(message).toContain('The response is not JSON');
	expect(description).toContain('Check the Base URL in the credential');
	await given.screenshot('the error');
});
