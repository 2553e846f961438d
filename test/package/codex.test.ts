import { join } from 'node:path';
import type { INodeTypeBaseDescription } from 'n8n-workflow';
import { loadPackage } from '../../demo/loadPackage';

// The package loads its client a second after its nodes, when these tests are over.
jest.useFakeTimers();
const { nodeTypes } = loadPackage(join(__dirname, '../..'));
const described = (node: string): INodeTypeBaseDescription => {
	const nodeType = nodeTypes[`n8n-nodes-generation-service.${node}`];
	if (nodeType === undefined) throw new Error(`No node ${node}`);
	return nodeType.description;
};

describe.each([
	['chatCompletion', ['chat', 'llm', 'gpt', 'chatgpt', 'completions', 'ask ai', 'gateway']],
	['listModels', ['models', 'available models', 'catalogue', 'openai compatible']],
	['videoGeneration', ['ai video', 'text to video', 'sora', 'veo', 'kling', 'runway', 'mp4']],
	['lmChatGenerationService', ['chat model', 'llm', 'chatgpt', 'openai compatible']],
])('%s', (node, searchWords) => {
	const { codex, documentationUrl } = described(node);

	// n8n silently ignores a codex file without "resources".
	test('is found in the nodes panel by its search words', () => {
		expect(codex?.alias).toEqual(expect.arrayContaining(searchWords));
	});

	test('is shown in the nodes panel and links to its documentation', () => {
		// The nodes panel and its search hide nodes of the category AI without one of these subcategories.
		const kind = node === 'lmChatGenerationService' ? 'Language Models' : 'Miscellaneous';
		const subcategories = { AI: [kind, 'Root Nodes'] };
		expect(codex).toMatchObject({ categories: ['AI'], subcategories });
		expect(documentationUrl).toMatch(/^https:.*#[a-z-]+$/);
		expect(codex?.resources?.primaryDocumentation?.[0]?.url).toBe(documentationUrl);
	});
});

test('a search for chat or video does not find List Models', () => {
	const searchWords = described('listModels').codex?.alias?.join(' ') ?? '';
	expect(searchWords).not.toMatch(/video|chat|gpt|llm/);
});
