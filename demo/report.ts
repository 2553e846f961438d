import { Console } from 'node:console';
import { inspect, stripVTControlCharacters, styleText } from 'node:util';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

/** More items than this become a table. */
const MAX_PRINTED_IN_FULL = 4;

// A terminal without a size reports 0 columns, on which ora loops forever.
export const onTerminal = process.stdout.isTTY === true && process.stdout.columns > 0;

export function print(text = ''): void {
	process.stdout.write(`${onTerminal ? text : stripVTControlCharacters(text)}\n`);
}

export function heading(text: string): void {
	print(`\n${styleText(['bold', 'underline'], text)}\n`);
}

/** Prints the output of each node: the items of the nodes that are shown, the number of items of the others. */
export function report(run: IRun, isShown: (node: string) => boolean): void {
	const runs = Object.entries(run.data.resultData.runData).flatMap(([node, tasks]) =>
		tasks.map((task) => ({ node, task })),
	);
	runs.sort((a, b) => a.task.executionIndex - b.task.executionIndex);
	for (const { node, task } of runs) {
		const outputs = task.data?.main ?? [];
		outputs.forEach((items, output) => {
			if (items === null || (items.length === 0 && output > 0)) return;
			const branch = output > 0 ? ', error branch' : '';
			print(`${styleText('cyan', node)}${branch}: ${counted(items.length, 'item')}`);
			if (isShown(node)) printItems(items);
		});
	}
}

export function counted(number: number, thing: string): string {
	return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

function printItems(items: INodeExecutionData[]): void {
	const records = items.map(({ json }) => json);
	if (records.length > MAX_PRINTED_IN_FULL) return printTable(records);
	for (const record of records) {
		const text = inspect(record, { colors: onTerminal, breakLength: 100, compact: 3, depth: 4 });
		print(text.replace(/^/gm, '   '));
	}
}

function printTable(records: IDataObject[]): void {
	new Console(process.stdout).table(records);
}
