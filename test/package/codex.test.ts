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

// n8n silently ignores a codex file without "resources".
test.each([
	['chatCompletion', ['chat', 'llm', 'gpt', 'chatgpt', 'completions', 'ask ai', 'gateway']],
	['listModels', ['models', 'available models', 'catalogue', 'openai compatible']],
	['videoGeneration', ['ai video', 'text to video', 'sora', 'veo', 'kling', 'runway', 'mp4']],
	['lmChatGenerationService', ['chat model', 'llm', 'chatgpt', 'openai compatible']],
])('the nodes panel finds %s by its search words', (node, searchWords) => {
	expect(described(node).codex?.alias).toEqual(expect.arrayContaining(searchWords));
});

test('a search for chat or video does not find List Models', () => {
	const searchWords = described('listModels').codex?.alias?.join(' ') ?? '';
	expect(searchWords).not.toMatch(/video|chat|gpt|llm/);
});

// The nodes panel and its search hide nodes of the category AI without one of these subcategories.
test.each([
	['chatCompletion', ['Miscellaneous', 'Root Nodes']],
	['listModels', ['Miscellaneous', 'Root Nodes']],
	['videoGeneration', ['Miscellaneous', 'Root Nodes']],
	['lmChatGenerationService', ['Language Models', 'Root Nodes']],
])('%s is shown in the nodes panel and links to its documentation', (node, subcategories) => {
	const { codex, documentationUrl } = described(node);
	expect(codex).toMatchObject({ categories: ['AI'], subcategories: { AI: subcategories } });
	expect(documentationUrl).toMatch(/^https:.*#[a-z-]+$/);
	expect(codex?.resources?.primaryDocumentation?.[0]?.url).toBe(documentationUrl);
});
