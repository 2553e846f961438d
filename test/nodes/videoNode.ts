import type { INodeParameters } from 'n8n-workflow';
import type { NodeRun } from '../engine/runNode';

/** A Video Generation node that asks for `{{ $json.prompt }}`, or a boat where the item has none, and looks often. */
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
