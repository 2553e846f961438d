import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { LoadedPackage } from '../../demo/loadPackage';
import type { Build } from '../benchmark';
import type { Target } from './candidate';
import { AT_ONCE, FIXED_QUESTION, MODEL } from './workload';
import { inParallel } from './measure';
import { credentialFor, type NodeUnderTest, withExecute, loadPeer, ourPackage } from './nodes';

/** Input items, each with its own question. */
export function questions(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, item) => ({
		question: `What is worth knowing of ${item}?`,
	}));
}

/** The Chat Completion node, with the question of each item as the message. */
export function chatNode(
	target: Target,
	build: Build,
	options: INodeParameters = {},
	content = '={{ $json.question }}',
): NodeUnderTest {
	return {
		type: 'n8n-nodes-generation-service.chatCompletion',
		typeVersion: 1,
		parameters: {
			model: { __rl: true, mode: 'id', value: MODEL },
			messages: { values: [{ role: 'user', content }] },
			options: { ...options, maxConcurrency: AT_ONCE },
		},
		credentials: credentialFor(target),
		loaded: ourPackage(build),
	};
}

/** A node that reads nothing: it sends the requests with n8n's request helper, as many at once as ours. */
export function helperNode(target: Target): NodeUnderTest {
	return withExecute(chatNode(target, 'verified', {}, FIXED_QUESTION), async function () {
		const { httpRequest } = this.helpers;
		const output: INodeExecutionData[] = [];
		await inParallel(this.getInputData().length, AT_ONCE, async (item) => {
			const json = (await httpRequest({
				method: 'POST',
				url: `${target.url}/v1/chat/completions`,
				headers: { authorization: `Bearer ${target.key}` },
				body: { model: MODEL, messages: [{ role: 'user', content: FIXED_QUESTION }] },
				json: true,
			})) as IDataObject;
			output[item] = { json, pairedItem: { item } };
		});
		return [output];
	});
}

/** n8n's Set node, with the question of each item in a field. */
export function setNode(): NodeUnderTest {
	const assignment = { id: '1', name: 'question', type: 'string', value: '={{ $json.question }}' };
	return {
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { assignments: { assignments: [assignment] }, options: {} },
		credentials: {},
		loaded: loadPeer('n8n-nodes-base', 'dist/nodes/Set/Set.node.js'),
	};
}

/** n8n's HTTP Request node, sending the same requests with the same credential. */
export function httpRequestNode(target: Target, body: IDataObject = {}): NodeUnderTest {
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.4,
		parameters: {
			method: 'POST',
			url: `${target.url}/v1/chat/completions`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'generationServiceApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ ${JSON.stringify({ model: MODEL, ...body }).replace(/}$/, '')}, "messages": [{ "role": "user", "content": $json.question }] } }}`,
			options: {},
		},
		credentials: credentialFor(target),
		loaded: {
			nodeTypes: httpRequest().nodeTypes,
			credentialTypes: ourPackage().credentialTypes,
		},
	};
}

/** n8n's OpenAI node, whose credential takes the URL of another service with the same interface. */
export function openAiNode({ url, key }: Target): NodeUnderTest {
	return {
		type: '@n8n/n8n-nodes-langchain.openAi',
		typeVersion: 1.8,
		parameters: {
			resource: 'text',
			operation: 'message',
			modelId: { __rl: true, mode: 'id', value: MODEL },
			messages: { values: [{ role: 'user', content: '={{ $json.question }}' }] },
			options: {},
		},
		credentials: { openAiApi: { url: `${url}/v1`, apiKey: key } },
		loaded: {
			nodeTypes: openAi().nodeTypes,
			credentialTypes: loadPeer('n8n-nodes-base', 'dist/credentials/OpenAiApi.credentials.js')
				.credentialTypes,
		},
	};
}

export function openAi(): LoadedPackage {
	return loadPeer('@n8n/n8n-nodes-langchain', 'dist/nodes/vendors/OpenAi/OpenAi.node.js');
}

export function httpRequest(): LoadedPackage {
	return loadPeer('n8n-nodes-base', 'dist/nodes/HttpRequest/HttpRequest.node.js');
}
