import type { IDataObject } from 'n8n-workflow';
import type { Stage } from '../bench';
import { credentialFor, type NodeOnTest, ourPackage } from './nodes';
import { VIDEO_MODEL } from './model';

/** The Video Generation node. */
export function videoNode(stage: Stage, parameters: NodeOnTest['parameters']): NodeOnTest {
	return {
		type: 'n8n-nodes-generation-service.videoGeneration',
		typeVersion: 1,
		parameters,
		credentials: credentialFor(stage),
		loaded: ourPackage(),
	};
}

/** Submits a video for each item and waits for all, with polls of five seconds as the node has it by default. */
export function generatingNode(stage: Stage): NodeOnTest {
	return videoNode(stage, {
		model: { __rl: true, mode: 'id', value: VIDEO_MODEL },
		prompt: '={{ $json.prompt }}',
	});
}

export function prompts(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, item) => ({ prompt: `Paper boat number ${item}` }));
}
