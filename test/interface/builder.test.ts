import type { INodeTypeDescription } from 'n8n-workflow';
import { asTool } from '../engine/asTool';
import { nodeTypes } from '../engine/runNode';

/** What `get_node_types` of n8n's AI builder and of its MCP server is made with. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { generateDiscriminatedUnion } = require('@n8n/workflow-sdk/scripts/generate-types') as {
	generateDiscriminatedUnion: (node: INodeTypeDescription) => string;
};

const node = nodeTypes['n8n-nodes-generation-service.videoGeneration']!;

/** The parameters that it shows for an operation. */
function shown(description: INodeTypeDescription, operation: string) {
	const text = generateDiscriminatedUnion(description);
	const fields = [...text.matchAll(/^\t?(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*(\w+)\??:/gm)];
	return fields
		.filter(([, comment = '']) => {
			const [, operations] = /operation: \[([^\]]*)\]/.exec(comment) ?? [];
			return operations === undefined || operations.includes(`"${operation}"`);
		})
		.map(([, , name = '']) => name);
}

const request = ['model', 'prompt', 'size', 'duration', 'options'];
const download = ['download', 'binaryProperty', 'fileName'];

describe.each([
	['node', node],
	['tool', asTool(node)],
])("n8n's builder reads of the %s", (_what, { description }) => {
	test.each([
		['generate', [...request, ...download, 'waitOptions']],
		['submit', request],
		// Of Options, which alone differs, it reads the first with all that both have.
		['get', ['taskId', ...download, 'options']],
		['wait', ['taskId', ...download, 'options', 'waitOptions']],
	])('the parameters of %s, and each once', (operation, own) => {
		const names = shown(description, operation);
		expect(new Set(names).size).toBe(names.length);
		const expected = [...own, 'simplify', 'operation'].filter((name) => name !== 'options');
		const read = names.filter((name) => !/^(options|toolDescription|descriptionType)$/.test(name));
		expect(read.toSorted()).toEqual(expected.toSorted());
	});
});

test.each([
	['generate', [...request.slice(0, -1), ...download, 'simplify', 'options', 'waitOptions']],
	['submit', [...request.slice(0, -1), 'simplify', 'options']],
	['get', ['taskId', ...download, 'simplify', 'options']],
	['wait', ['taskId', ...download, 'simplify', 'options', 'waitOptions']],
])('the form shows the fields of %s in this order', (operation, fields) => {
	const inForm = node.description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes(operation),
	);
	expect(inForm.map(({ name }) => name)).toEqual(fields);
});
