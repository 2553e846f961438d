import type { INodeParameters } from 'n8n-workflow';
import type { NodeRun } from '../../engine/runNode';

/** A Video Generation node with the prompt `{{ $json.prompt }}`, or a default if the item has none, and frequent polls. */
export function videoNode(parameters: INodeParameters = {}): NodeRun {
	return {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt ?? "A boat" }}',
			waitOptions: { pollInterval: 0.02 },
			...parameters,
		},
	};
}
