import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { n8n } from '../../package.json';

type NodeClasses = Record<string, new () => INodeType>;

/** The nodes that package.json lists, from their sources, by the names of their types. */
export const packageNodes: Readonly<Record<string, INodeType>> = Object.fromEntries(
	n8n.nodes.flatMap((built) => {
		const source = built.replace(/^dist\/(.*)\.js$/, '../../$1');
		return Object.values(jest.requireActual<NodeClasses>(source)).map((Node) => {
			const node = new Node();
			return [node.description.name, node];
		});
	}),
);

/** @throws where package.json lists no such node */
export function packageNode(name: string): INodeType {
	const node = packageNodes[name];
	if (node === undefined) throw new Error(`package.json lists no node ${name}`);
	return node;
}

/** The operations of Video Generation, as its form lists them. */
export const videoOperations = packageNode('videoGeneration').description.properties.find(
	({ name }) => name === 'operation',
)?.options as INodePropertyOptions[];
