import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type IConnections, type INode, NodeHelpers } from 'n8n-workflow';
import { nodeTypes } from '../engine/runNode';
import { stockNodes } from '../../demo/stockNodes';

interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

const folder = resolve(__dirname, '../../examples');
const examples = readdirSync(folder).map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(join(folder, file), 'utf8')) as WorkflowFile,
}));

/** n8n makes a tool of any node that can be one, and adds a word to its type. */
const plainType = ({ type }: INode) => type.replace(/(?<=generation-service\..*)Tool$/, '');

describe.each(examples)('examples/$file', ({ workflow }) => {
	const ours = workflow.nodes.filter(({ type }) =>
		type.startsWith('n8n-nodes-generation-service.'),
	);

	test('uses our nodes, and of n8n only nodes that every n8n has', () => {
		const known = { ...nodeTypes, ...stockNodes(''), '@n8n/n8n-nodes-langchain.agent': 'an agent' };
		expect(ours.length).toBeGreaterThan(0);
		for (const node of workflow.nodes) expect(Object.keys(known)).toContain(plainType(node));
	});

	test('sets only parameters that the nodes have, and sets them well', () => {
		for (const node of ours) {
			const { description } = nodeTypes[plainType(node)]!;
			const { properties } = description;
			const parameters = NodeHelpers.getNodeParameters(
				properties,
				node.parameters,
				true,
				false,
				node,
				description,
			);
			expect(parameters).toMatchObject(node.parameters);
			expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
			expect(node.credentials).toHaveProperty('generationServiceApi');
		}
	});

	test('connects nodes that exist', () => {
		const names = workflow.nodes.map(({ name }) => name);
		const targets = Object.values(workflow.connections).flatMap((outputs) =>
			Object.values(outputs).flatMap((branches) =>
				branches.flatMap((branch) => (branch ?? []).map(({ node }) => node)),
			),
		);
		expect(names).toEqual(
			expect.arrayContaining([...Object.keys(workflow.connections), ...targets]),
		);
		expect(new Set(names).size).toBe(names.length);
	});
});
