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
const examples = readdirSync(folder).map((file) => {
	const text = readFileSync(join(folder, file), 'utf8');
	return { file, text, workflow: JSON.parse(text) as WorkflowFile };
});

/** Of n8n itself, and not in the embedded engine. */
const ofN8n = [
	'@n8n/n8n-nodes-langchain.agent',
	'n8n-nodes-base.dataTable',
	'n8n-nodes-base.form',
	'n8n-nodes-base.formTrigger',
	'n8n-nodes-base.if',
	'n8n-nodes-base.scheduleTrigger',
	'n8n-nodes-base.wait',
	'n8n-nodes-base.webhook',
];

/** n8n makes a tool of any node that can be one, and adds a word to its type. */
const plainType = ({ type }: INode) => type.replace(/(?<=generation-service\..*)Tool$/, '');

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** The place of a node on the canvas; a name may take two lines below it. */
function boxOf({ name, position: [left, top], parameters }: INode): Box {
	const { width = 96, height = 150 } = parameters as { width?: number; height?: number };
	return { name, left, top, right: left + width, bottom: top + height };
}

function overlap(a: Box, b: Box): boolean {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

describe.each(examples)('examples/$file', ({ text, workflow }) => {
	const ours = workflow.nodes.filter(({ type }) =>
		type.startsWith('n8n-nodes-generation-service.'),
	);

	test('says in a note what it is for, and what to do step by step in the editor', () => {
		const note = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote');
		expect(note?.parameters.content).toMatch(/^## .+\n.+/);
		expect(note?.parameters.content).toMatch(/^1\. Open \*\*.+ your credential/m);
		expect(text).not.toMatch(/npm run/);
	});

	test('asks to open only nodes that it has', () => {
		const names = workflow.nodes.map(({ name }) => name);
		const opened = [...text.matchAll(/\bOpen \*\*(.+?)\*\*/g)].map(([, name]) => name);
		expect(names).toEqual(expect.arrayContaining(opened));
	});

	test('has an id for every node, and room for it and its name', () => {
		const { nodes } = workflow;
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
		const boxes = nodes.map(boxOf);
		const overlapping = boxes.filter((box, index) =>
			boxes.slice(index + 1).some((other) => overlap(box, other)),
		);
		expect(overlapping).toEqual([]);
	});

	test('names a credential and holds nothing of it', () => {
		for (const { credentials = {} } of workflow.nodes)
			for (const reference of Object.values(credentials))
				expect(reference).toEqual({ id: 'choose-yours', name: 'Generation Service account' });
		expect(text).not.toMatch(/apiKey|baseUrl|Bearer|https?:/);
	});

	test('uses our nodes, and of n8n only nodes that every n8n has', () => {
		const known = [...Object.keys({ ...nodeTypes, ...stockNodes('') }), ...ofN8n];
		expect(ours.length).toBeGreaterThan(0);
		for (const node of workflow.nodes) expect(known).toContain(plainType(node));
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
