import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { LoadedPackage } from '../../demo/loadPackage';
import type { Stage } from './contestant';
import { MODEL } from './model';
import { credentialFor, type NodeOnTest, nodeThat, ofPeer, ourPackage } from './nodes';

/** Input items, each with a question of its own. */
export function questions(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, item) => ({
		question: `What is worth knowing of ${item}?`,
	}));
}

/** The Chat Completion node, asking each item's question. */
export function chatNode(
	stage: Stage,
	options: INodeParameters = {},
	content = '={{ $json.question }}',
): NodeOnTest {
	return {
		type: 'n8n-nodes-generation-service.chatCompletion',
		typeVersion: 1,
		parameters: {
			model: { __rl: true, mode: 'id', value: MODEL },
			messages: { values: [{ role: 'user', content }] },
			options,
		},
		credentials: credentialFor(stage),
		loaded: ourPackage(),
	};
}

/** A node that reads the question of each item and does nothing else. */
export function readingNode(stage: Stage): NodeOnTest {
	return nodeThat(chatNode(stage), async function () {
		const read = (item: number) => this.getNodeParameter('messages.values', item, []);
		const items = this.getInputData().map((_, item) => ({ json: {}, read: read(item) }));
		return await Promise.resolve([items.map(({ json }) => ({ json }))]);
	});
}

/** n8n's HTTP Request node, sending the same requests with the same credential. */
export function httpRequestNode(stage: Stage, body: IDataObject = {}): NodeOnTest {
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.4,
		parameters: {
			method: 'POST',
			url: `${stage.url}/v1/chat/completions`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'generationServiceApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ ${JSON.stringify({ model: MODEL, ...body }).replace(/}$/, '')}, "messages": [{ "role": "user", "content": $json.question }] } }}`,
			options: {},
		},
		credentials: credentialFor(stage),
		loaded: {
			nodeTypes: httpRequest().nodeTypes,
			credentialTypes: ourPackage().credentialTypes,
		},
	};
}

/** n8n's OpenAI node, which speaks the same interface when its credential names another address. */
export function openAiNode({ url, key }: Stage): NodeOnTest {
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
			credentialTypes: ofPeer('n8n-nodes-base', 'dist/credentials/OpenAiApi.credentials.js')
				.credentialTypes,
		},
	};
}

export function openAi(): LoadedPackage {
	return ofPeer('@n8n/n8n-nodes-langchain', 'dist/nodes/vendors/OpenAi/OpenAi.node.js');
}

export function httpRequest(): LoadedPackage {
	return ofPeer('n8n-nodes-base', 'dist/nodes/HttpRequest/HttpRequest.node.js');
}
