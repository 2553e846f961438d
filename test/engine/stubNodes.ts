import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

/** A node that a test workflow has beside ours. */
export function stubNode(
	displayName: string,
	execute: NonNullable<INodeType['execute']>,
	more: Partial<INodeTypeDescription> = {},
): INodeType {
	const description: INodeTypeDescription = {
		displayName,
		name: displayName,
		group: ['transform'],
		version: 1,
		description: displayName,
		defaults: { name: displayName },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		properties: [],
		...more,
	};
	return { description, execute };
}

/** Returns its input: the first and the last nodes of test workflows. */
export const passThrough = stubNode(
	'Pass Through',
	async function () {
		return await Promise.resolve([this.getInputData()]);
	},
	{
		properties: [
			{ displayName: 'Response Mode', name: 'responseMode', type: 'string', default: '' },
		],
	},
);

interface LoopState {
	waiting?: INodeExecutionData[];
	done?: INodeExecutionData[];
}

/** Behaves like n8n's Loop Over Items with a batch size of 1: its outputs are "done" and "loop". */
export const loopOverItems = stubNode(
	'Loop Over Items',
	async function (this: IExecuteFunctions) {
		const state = this.getContext('node') as LoopState;
		const items = this.getInputData();
		if (state.waiting === undefined) {
			state.waiting = [...items];
			state.done = [];
		} else {
			state.done?.push(...items);
		}
		const next = state.waiting.shift();
		return await Promise.resolve(next ? [[], [next]] : [state.done ?? [], []]);
	},
	{ outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] },
);
