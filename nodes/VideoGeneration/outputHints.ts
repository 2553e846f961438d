import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hintAboutTexts, textOf } from '../shared/form/formTexts';
import { propertyOf } from '../shared/form/parameterValues';
import { requestProperties } from './videoRequest';
import { asHtml, hintAfterRun, runsAsTool } from '../shared/form/hints';

/** Links to videos in one hint. */
const MAX_LINKS = 4;

/** Hints about the items of a run, for whoever looks at its output. */
export function hintAboutOutput(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const operation = context.getNodeParameter('operation', 0, 'generate');
	hintAboutFiles(context, items, operation === 'generate');
	hintAboutNames(context, items);
	if (operation !== 'generate' && operation !== 'submit') return;
	hintAboutTexts(context, [textOf(context, 'prompt')], 'prompt');
	hintAboutBill(context, items);
}

/** A second run with Download on would be billed again, and another operation in this node would lose its fields. */
function hintAboutFiles(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	isGenerated: boolean,
): void {
	// A URL of Get and Wait is what they were asked for; inline data pass by.
	const without = items.filter(
		({ json, binary }) => json.status === 'completed' && !binary && (isGenerated || !json.url),
	);
	if (without.length === 0) return;
	const these = without.length === 1 ? '1 video is' : `${without.length} videos are`;
	const place = runsAsTool(context.getNode())
		? 'the agent, with the operation Get, Download on and this task_id.'
		: 'this one, with the operation Get and Download on: its Task ID fits already.';
	const advice = isGenerated
		? `To get the file without paying again, add a second Video Generation node after ${place}${linksTo(without.map(({ json }) => json.url))}`
		: 'If the service sends inline data instead of a URL, turn on Download to keep it.';
	hintAfterRun(context, `${these} not downloaded. ${advice}`, 'info');
}

/** One click plays a video in another tab. */
function linksTo(urls: unknown[]): string {
	const playable = urls.map(String).filter((url) => /^https?:\/\//i.test(url));
	const links = playable.slice(0, MAX_LINKS).map((url, index) => {
		const number = playable.length === 1 ? '' : ` ${index + 1}`;
		return `<a href="${asHtml(url)}" target="_blank">Play the video${number}</a>`;
	});
	return links.length === 0 ? '' : ` ${links.join(' · ')}`;
}

/** Several videos have a price that is easily overlooked. */
function hintAboutBill(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const seconds = new Map<string, number>();
	let videos = 0;
	for (const { json, pairedItem } of items) {
		const itemIndex = typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : 0;
		const { task_id } = 'error' in json ? (json.error as IDataObject) : json;
		if (task_id === undefined) continue;
		videos += 1;
		const [size, duration] = ['size', 'duration'].map(
			(name) =>
				// One that was emptied is not sent: the service has the same default.
				context.getNodeParameter(name, itemIndex, '') ||
				propertyOf(requestProperties, name).default,
		);
		seconds.set(String(size), (seconds.get(String(size)) ?? 0) + Number(duration));
	}
	if (videos < 2) return;
	const lengths = [...seconds].map(([size, all]) => `${all} s of ${asHtml(size)}`);
	hintAfterRun(context, `${videos} videos were submitted: ${lengths.join(', ')}`, 'info');
}

/** Nodes that write files or attach them to one message put one in the place of the other. */
function hintAboutNames(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const seen = new Set<string | undefined>();
	const files = items.flatMap(({ binary = {} }) => Object.values(binary));
	const twice = files.find(({ fileName }) => seen.size === seen.add(fileName).size)?.fileName;
	if (twice === undefined) return;
	hintAfterRun(
		context,
		`Several videos have the file name ${asHtml(twice)}: where they are saved, one may overwrite the other. Add {{ $itemIndex }} to File Name.`,
	);
}
