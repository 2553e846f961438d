import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { ChatCompletion } from '../../gateway';
import { hintAfterRun, type RunHints } from '../shared/form/hints';

/** Notes that an answer is not all of it, which is easily overlooked among many items. */
export function notePartialAnswer(
	hints: RunHints,
	{ choices }: ChatCompletion,
	simplify: boolean,
): void {
	const ended = choices.map(({ finish_reason }) => finish_reason);
	if (ended.includes('length'))
		hints.note(
			'cut off (finish_reason: length). Increase Max Tokens if it is set, or ask for a shorter answer.',
		);
	if (ended.includes('content_filter'))
		hints.note("cut off by the service's content filter (finish_reason: content_filter).");
	if (simplify && choices.length > 1)
		hints.note('the first of several choices. Turn off Simplify to see them all.');
}

/** Several answers have a price that is easily overlooked. */
export function hintAboutBill(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const answers = items.filter(({ json }) => !('error' in json));
	if (answers.length < 2) return;
	const tokens = answers.map(({ json }) => Number((json.usage as IDataObject)?.total_tokens));
	const total = tokens.reduce((sum, count) => sum + count, 0);
	const counted = Number.isNaN(total) ? '' : `: ${total.toLocaleString('en')} tokens`;
	hintAfterRun(context, `${answers.length} requests were answered${counted}`, 'info');
}
