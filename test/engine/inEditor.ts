import {
	type INode,
	type INodeParameters,
	type INodeType,
	NodeHelpers,
	type IVersionedNodeType,
	Workflow,
} from 'n8n-workflow';
import { ChatCompletion } from '../../nodes/ChatCompletion/ChatCompletion.node';
import { ListModels } from '../../nodes/ListModels/ListModels.node';
import { LmChatGenerationService } from '../../nodes/LmChatGenerationService/LmChatGenerationService.node';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';

const nodeTypes = {
	chatCompletion: new ChatCompletion(),
	listModels: new ListModels(),
	lmChatGenerationService: new LmChatGenerationService(),
	videoGeneration: new VideoGeneration(),
} satisfies Record<string, INodeType>;

export interface EditorView {
	/** What stands below the node's name on the canvas. */
	subtitle: unknown;
	/** The hints in the node's window, before its first run. */
	hints: string[];
	/** The parameters that the form shows, in their order. */
	form: string[];
}

/** What the editor makes of a node's description: with n8n's own expressions, and as strictly as its editor. */
export function inEditor(
	type: keyof typeof nodeTypes,
	parameters: INodeParameters,
	workflowId?: string,
): EditorView {
	const { description } = nodeTypes[type];
	const node: INode = {
		id: 'node',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const workflow = new Workflow({
		...(workflowId !== undefined && { id: workflowId }),
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByNameAndVersion: () => nodeTypes[type],
			getByName: (): INodeType | IVersionedNodeType => nodeTypes[type],
			getKnownTypes: () => ({}),
		},
	});
	const resolved = workflow.getNode('Node') ?? node;
	const resolve = (expression: string) =>
		workflow.expression.getSimpleParameterValue(resolved, expression, 'internal', {});
	const hints = (description.hints ?? []).filter(
		({ displayCondition = '={{ true }}', message }) => {
			const holds = resolve(displayCondition);
			if (typeof holds === 'boolean') return holds;
			throw new Error(`The editor takes no ${typeof holds} for the condition of: ${message}`);
		},
	);
	return {
		subtitle: resolve(description.subtitle ?? ''),
		hints: hints.map(({ message }) => message),
		form: description.properties
			.filter((property) =>
				NodeHelpers.displayParameter(resolved.parameters, property, resolved, description),
			)
			.map(({ name }) => name),
	};
}
