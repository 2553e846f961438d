import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

interface LoopState {
	waiting?: INodeExecutionData[];
	done?: INodeExecutionData[];
}

/** Behaves like n8n's Loop Over Items with a batch size of 1. */
export class LoopOverItems implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Loop Over Items',
		name: 'loopOverItems',
		group: ['transform'],
		version: 1,
		description: 'Outputs its items one by one',
		defaults: { name: 'Loop Over Items' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['done', 'loop'],
		usableAsTool: true,
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
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
	}
}
