import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
	type IConnections,
	type INode,
	type INodeParameterResourceLocator,
	NodeHelpers,
} from 'n8n-workflow';
import { nodeTypes } from '../engine/runNode';
import { coreNodeStubs } from '../../demo/coreNodeStubs';
import type { WorkflowFile } from '../../demo/engine';

const folder = resolve(__dirname, '../../examples');
const examples = readdirSync(folder)
	.filter((file) => file.endsWith('.json'))
	.map((file) => {
		const text = readFileSync(join(folder, file), 'utf8');
		return { file, text, workflow: JSON.parse(text) as WorkflowFile };
	});

/** Nodes of n8n that the embedded engine does not have. */
const n8nNodes = [
	'@n8n/n8n-nodes-langchain.agent',
	'@n8n/n8n-nodes-langchain.outputParserStructured',
	'n8n-nodes-base.dataTable',
	'n8n-nodes-base.emailSend',
	'n8n-nodes-base.form',
	'n8n-nodes-base.formTrigger',
	'n8n-nodes-base.if',
	'n8n-nodes-base.s3',
	'n8n-nodes-base.scheduleTrigger',
	'n8n-nodes-base.wait',
	'n8n-nodes-base.webhook',
];

/** The names of the credentials, by type. */
const ACCOUNTS: Record<string, string> = {
	generationServiceApi: 'Generation Service account',
	s3: 'S3 account',
	smtp: 'SMTP account',
};

/** The type of a node without the suffix that n8n adds when it is used as a tool. */
const plainType = ({ type }: INode) => type.replace(/(?<=generation-service\..*)Tool$/, '');

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** The area of a node on the canvas, with two lines for its name. */
function boxOf({ name, position: [left, top], parameters }: INode): Box {
	const { width = 96, height = 150 } = parameters as { width?: number; height?: number };
	return { name, left, top, right: left + width, bottom: top + height };
}

function overlap(a: Box, b: Box): boolean {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Whether a node is followed by itself. */
function hasLoop(connections: IConnections): boolean {
	const next = (name: string) =>
		(connections[name]?.main ?? []).flatMap((branch) => (branch ?? []).map(({ node }) => node));
	return Object.keys(connections).some((start) => {
		const reached = new Set(next(start));
		for (const name of reached) next(name).forEach((node) => reached.add(node));
		return reached.has(start);
	});
}

describe.each(examples)('examples/$file', ({ text, workflow }) => {
	const ours = workflow.nodes.filter(({ type }) =>
		type.startsWith('n8n-nodes-generation-service.'),
	);

	test('has a sticky note with its purpose and numbered steps', () => {
		const note = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote');
		expect(note?.parameters.content).toMatch(/^## .+\n.+/);
		expect(note?.parameters.content).toMatch(/^1\. Open \*\*.+ your credential/m);
		expect(text).not.toMatch(/npm run/);
	});

	const paying = ours.filter(
		({ type, parameters }) =>
			!type.endsWith('.listModels') && !['get', 'wait'].includes(String(parameters.operation)),
	);

	test('has a note with its price', () => {
		const notes = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const text = notes.map(({ parameters }) => parameters.content).join('\n');
		expect(text).toMatch(paying.length > 0 ? /^Each .+ pays for .+/m : /^It pays for nothing\.$/m);
	});

	test('has models chosen from the list', () => {
		for (const { parameters } of paying) {
			const model = parameters.model as INodeParameterResourceLocator;
			expect(model).toMatchObject({ mode: 'list', cachedResultName: model.value });
		}
	});

	test('has a limit where agents, loops or strangers decide how often a node pays', () => {
		const { nodes, connections } = workflow;
		const starts = /\.(agent|formTrigger|chatTrigger|webhook)$/;
		if (!nodes.some(({ type }) => starts.test(type)) && !hasLoop(connections)) return;
		for (const { parameters } of paying)
			expect(parameters.options).toMatchObject({ maxBillableRequests: expect.any(Number) });
	});

	test('mentions only nodes that it has', () => {
		const names = workflow.nodes.map(({ name }) => name);
		const opened = [...text.matchAll(/\bOpen \*\*(.+?)\*\*/g)].map(([, name]) => name);
		expect(names).toEqual(expect.arrayContaining(opened));
	});

	test('has a unique ID and enough space for every node', () => {
		const { nodes } = workflow;
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
		const boxes = nodes.map(boxOf);
		const overlapping = boxes.filter((box, index) =>
			boxes.slice(index + 1).some((other) => overlap(box, other)),
		);
		expect(overlapping).toEqual([]);
	});

	test('has the name of a credential, but no credential data', () => {
		for (const { credentials = {} } of workflow.nodes)
			for (const [type, reference] of Object.entries(credentials))
				expect(reference).toEqual({ id: 'choose-yours', name: ACCOUNTS[type] });
		expect(text).not.toMatch(/apiKey|baseUrl|Bearer|https?:/);
	});

	test('uses our nodes and built-in nodes of n8n', () => {
		const known = [...Object.keys({ ...nodeTypes, ...coreNodeStubs('') }), ...n8nNodes];
		expect(ours.length).toBeGreaterThan(0);
		for (const node of workflow.nodes) expect(known).toContain(plainType(node));
	});

	test('has only valid parameters', () => {
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

	test('has connections between existing nodes only', () => {
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
