import { journey } from '../browser/journey';
import { manualStart, withChatModel, workflowOf } from '../browser/workflow';
import { until } from '../host/until';

const png =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = {
	name: 'Image',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: { assignments: [{ id: '1', name: 'data', value: png, type: 'string' }] },
	},
};
const file = {
	name: 'File',
	type: 'n8n-nodes-base.convertToFile',
	typeVersion: 1.1,
	parameters: {
		operation: 'toBinary',
		sourceProperty: 'data',
		options: { mimeType: 'image/png' },
	},
};

journey(
	'an agent that passes an image on fails before any request, and works without it',
	async (given) => {
		const { api, credential, simulator } = given;
		const statusWith = async (options: object) => {
			const agent = {
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: 3,
				parameters: { promptType: 'define', text: 'What is this?', options },
			};
			const row = workflowOf('An image', credential, [manualStart, image, file, agent]);
			const model = { model: { __rl: true, mode: 'id', value: 'heron-chat' }, options: {} };
			const workflowId = await api.createWorkflow(withChatModel(row, credential, model));
			await api.execute(workflowId, manualStart.name);
			const status = async () => (await api.executions(workflowId))[0]?.status;
			await until(async () => !['new', 'running', undefined].includes(await status()));
			return await status();
		};
		expect(await statusWith({})).toBe('error');
		expect(simulator.requests).toEqual([]);
		expect(await statusWith({ passthroughBinaryImages: false })).toBe('success');
		expect(simulator.count('chat') + simulator.count('chatStream')).toBe(1);
	},
);
