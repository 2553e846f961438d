import type { INodeParameters } from 'n8n-workflow';
import type { NodeRun } from '../../engine/runNode';

/** A Chat Completion node that sends `{{ $json.prompt }}`, or Hello if the item has no prompt. */
export function chatNode(parameters: INodeParameters = {}): NodeRun {
	return {
		node: 'chatCompletion',
		parameters: {
			model: { __rl: true, mode: 'id', value: 'heron-chat' },
			messages: { values: [{ role: 'user', content: '={{ $json.prompt ?? "Hello" }}' }] },
			...parameters,
		},
	};
}
