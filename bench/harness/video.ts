import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Stage } from './contestant';
import { httpRequestNode } from './chat';
import { credentialFor, type NodeOnTest, nodeThat, ourPackage } from './nodes';
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

const request = {
	model: { __rl: true, mode: 'id', value: VIDEO_MODEL },
	prompt: '={{ $json.prompt }}',
};

/** Submits a video for each item and waits for all, with polls of five seconds as the node has it by default, or as it is told. */
export function generatingNode(stage: Stage, waitOptions: INodeParameters = {}): NodeOnTest {
	return videoNode(stage, { operation: 'generate', ...request, waitOptions });
}

/** Submits a video for each item and goes on. */
export function submittingNode(stage: Stage): NodeOnTest {
	return videoNode(stage, { operation: 'submit', ...request });
}

/** n8n's HTTP Request node, asking for the state of a task. */
export function lookingNode(stage: Stage): NodeOnTest {
	return {
		...httpRequestNode(stage),
		parameters: {
			url: `=${stage.url}/media/v1/video/generations/{{ $json.task }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'generationServiceApi',
			options: {},
		},
	};
}

/** A node that fetches an address with n8n's download helper, as Video Generation does, and lets go of every byte. */
export function droppingNode(stage: Stage, url: string): NodeOnTest {
	return nodeThat(videoNode(stage, { operation: 'get', taskId: 'any' }), async function () {
		let bytes = 0;
		const body = (await this.helpers.httpRequest({ url, encoding: 'stream' })) as Readable;
		body.on('data', (piece: Buffer) => (bytes += piece.length));
		await finished(body);
		return [[{ json: { bytes } }]];
	});
}

export function prompts(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, item) => ({ prompt: `Paper boat number ${item}` }));
}
