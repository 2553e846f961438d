import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { IDataObject } from 'n8n-workflow';
import type { Build } from '../benchmark';
import type { Target } from './candidate';
import { httpRequestNode } from './chat';
import { credentialFor, type NodeUnderTest, withExecute, ourPackage } from './nodes';
import { AT_ONCE, POLL_SECONDS, VIDEO_MODEL } from './workload';

/** The Video Generation node. */
export function videoNode(
	target: Target,
	build: Build,
	parameters: NodeUnderTest['parameters'],
): NodeUnderTest {
	return {
		type: 'n8n-nodes-generation-service.videoGeneration',
		typeVersion: 1,
		parameters,
		credentials: credentialFor(target),
		loaded: ourPackage(build),
	};
}

const request = {
	model: { __rl: true, mode: 'id', value: VIDEO_MODEL },
	prompt: '={{ $json.prompt }}',
};

/** Submits a video for each item and waits for all. */
export function generateNode(target: Target, build: Build): NodeUnderTest {
	return videoNode(target, build, {
		operation: 'generate',
		...request,
		waitOptions: { pollInterval: POLL_SECONDS },
		options: { maxConcurrency: AT_ONCE },
	});
}

/** Submits a video for each item and does not wait. */
export function submitNode(target: Target, build: Build): NodeUnderTest {
	return videoNode(target, build, { operation: 'submit', ...request });
}

/** n8n's HTTP Request node as a poll of a task. */
export function pollNode(target: Target): NodeUnderTest {
	return {
		...httpRequestNode(target),
		parameters: {
			url: `=${target.url}/media/v1/video/generations/{{ $json.task }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'generationServiceApi',
			options: {},
		},
	};
}

/** A node that downloads a URL with n8n's helper, as Video Generation does, and discards the bytes. */
export function discardNode(target: Target, url: string): NodeUnderTest {
	return withExecute(
		videoNode(target, 'verified', { operation: 'get', taskId: 'any' }),
		async function () {
			let bytes = 0;
			const body = (await this.helpers.httpRequest({ url, encoding: 'stream' })) as Readable;
			body.on('data', (chunk: Buffer) => (bytes += chunk.length));
			await finished(body);
			return [[{ json: { bytes } }]];
		},
	);
}

export function prompts(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, item) => ({ prompt: `Paper boat number ${item}` }));
}
