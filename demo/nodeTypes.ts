import {
	type IDataObject,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
	NodeHelpers,
} from 'n8n-workflow';

/** The node types that a workflow may use, by full type. */
export class NodeTypes implements INodeTypes {
	constructor(private readonly types: Record<string, INodeType | IVersionedNodeType>) {}

	getByName(type: string): INodeType | IVersionedNodeType {
		const found = this.types[type];
		if (found === undefined) throw new Error(`Unknown node type ${type}`);
		return found;
	}

	getByNameAndVersion(type: string, version?: number): INodeType {
		return NodeHelpers.getVersionedNodeType(this.getByName(type), version);
	}

	getKnownTypes(): IDataObject {
		return this.types as unknown as IDataObject;
	}
}
