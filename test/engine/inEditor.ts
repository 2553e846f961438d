import {
	type INodeParameters,
	type INodeType,
	NodeHelpers,
	type IVersionedNodeType,
	Workflow,
} from 'n8n-workflow';
import { asTool } from './asTool';
import { nodeOf } from './nodeOf';
import { packageNode } from './packageNodes';

export interface EditorView {
	/** The node name on the canvas. */
	name: string;
	/** The text below the name. */
	subtitle: unknown;
	/** What the panel says while the execution waits. */
	waiting: unknown;
	/** The hints in the node's panel before its first run. */
	hints: string[];
	/** The parameters that the form shows, in order. */
	form: string[];
}

/** What the editor shows for a node, resolved with n8n's own expressions and as strictly as the editor does. */
export function inEditor(type: string, parameters: INodeParameters, inputItems = 0): EditorView {
	return view(type, packageNode(type), parameters, inputItems);
}

/** What the editor shows for the node as a tool of an agent. */
export function toolInEditor(type: string, parameters: INodeParameters): EditorView {
	return view(`${type}Tool`, asTool(packageNode(type)), parameters);
}

function view(
	type: string,
	nodeType: INodeType,
	parameters: INodeParameters,
	inputItems = 0,
): EditorView {
	const { description } = nodeType;
	const node = nodeOf('Node', type, parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByNameAndVersion: () => nodeType,
			getByName: (): INodeType | IVersionedNodeType => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	const resolved = workflow.getNode('Node') ?? node;
	const resolve = (expression: string) => {
		const input = Array.from({ length: inputItems }, () => ({ json: {} }));
		return inputItems === 0
			? workflow.expression.getSimpleParameterValue(resolved, expression, 'internal', {})
			: workflow.expression.getParameterValue(expression, null, 0, 0, 'Node', input, 'manual', {});
	};
	const hints = (description.hints ?? []).filter(
		({ displayCondition = '={{ true }}', message, location, whenToDisplay }) => {
			if (location !== 'outputPane' || whenToDisplay !== 'beforeExecution') return false;
			const isShown = resolve(displayCondition);
			if (typeof isShown === 'boolean') return isShown;
			throw new Error(`The editor rejects a ${typeof isShown} as the condition of: ${message}`);
		},
	);
	return {
		name: NodeHelpers.makeNodeName(resolved.parameters, description),
		subtitle: resolve(description.subtitle ?? ''),
		waiting: resolve(description.waitingNodeTooltip ?? ''),
		hints: hints.map(({ message }) => message),
		form: description.properties
			.filter(({ type }) => type !== 'hidden')
			.filter((property) =>
				NodeHelpers.displayParameter(resolved.parameters, property, resolved, description),
			)
			.map(({ name }) => name),
	};
}
