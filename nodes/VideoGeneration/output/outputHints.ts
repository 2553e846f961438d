import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hintAboutTexts, textOf } from '../../shared/form/formTexts';
import { hintAboutFailures, hintAfterRun } from '../../shared/form/hints';

/** Hints about the items of a run, for whoever looks at its output. */
export function hintAboutOutput(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const operation = context.getNodeParameter('operation', 0);
	if (operation === 'generate') hintAboutFiles(context, items);
	else hintAboutInlineVideos(context, items);
	hintAboutNames(context, items);
	if (operation === 'generate' || operation === 'submit')
		hintAboutTexts(context, [textOf(context, 'prompt')], 'prompt');
}

/** All hints about the items of an earlier try, for the try that returns them again. */
export function repeatHints(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	hintAboutFailures(context, items, context.getInputData().length);
	hintAboutOutput(context, items);
}

/** A second run with Download on would be billed again. */
function hintAboutFiles(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const without = items.filter(({ json, binary }) => json.status === 'completed' && !binary).length;
	if (without === 0) return;
	const these = without === 1 ? '1 video is' : `${without} videos are`;
	hintAfterRun(
		context,
		`${these} not downloaded. To get the file without paying again, use the operation Get with this task_id, and turn on Download.`,
		'info',
	);
}

/** Without Download they pass by. */
function hintAboutInlineVideos(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const without = items.filter(
		({ json, binary }) => json.status === 'completed' && !json.url && !binary,
	).length;
	if (without === 0) return;
	const have = without === 1 ? '1 finished video has' : `${without} finished videos have`;
	hintAfterRun(
		context,
		`${have} no URL. If the service sends it as inline data, turn on Download to keep it.`,
		'info',
	);
}

/** Nodes that write files or attach them to one message put one in the place of the other. */
function hintAboutNames(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const seen = new Set<string | undefined>();
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	const twice = files.find(({ fileName }) => seen.size === seen.add(fileName).size)?.fileName;
	if (twice === undefined) return;
	hintAfterRun(
		context,
		`Several videos have the file name ${twice}: where they are saved, one may overwrite the other. Add {{ $itemIndex }} to File Name.`,
	);
}
