import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import * as n8n from 'n8n-workflow';
import { type ChatCompletion, firstChoice, parseJsonAnswer } from '../../gateway';
import { hintAfterRun, type RunHints } from '../shared/form/hints';
import { type OutputFields, present, without } from '../shared/form/outputItem';

export const answerFields = {
	text: 'string',
	finish_reason: 'string',
	model: 'string',
	usage: { prompt_tokens: 'integer', completion_tokens: 'integer', total_tokens: 'integer' },
	id: 'string',
} satisfies OutputFields;

/** Every field that an item may have, with Simplify or without. An input field of the same name is never one of an answer. */
export const answerItemFields: ReadonlySet<string> = new Set([
	...Object.keys(answerFields),
	...['tool_calls', 'json', 'object', 'created', 'choices', 'service_tier', 'system_fingerprint'],
]);

/** The model's answer to one item. */
export interface Answer {
	completion: ChatCompletion;
	/** What it adds to the output as JSON. */
	parsed: object;
}

/** Undefined for an answer without the JSON that it should contain. */
export function readAnswer(completion: ChatCompletion, jsonOutput: boolean): Answer | undefined {
	const parsed = jsonOutput ? parseJsonAnswer(completion) : {};
	return parsed && { completion, parsed };
}

export function simplified(completion: ChatCompletion): IDataObject {
	const { id, model, usage } = completion;
	const choice = firstChoice(completion);
	const calls = choice.message.tool_calls;
	const fields: Record<keyof typeof answerFields | 'tool_calls', unknown> = {
		text: choice.message.content ?? '',
		tool_calls: Array.isArray(calls) && calls.length > 0 ? calls : undefined,
		finish_reason: choice.finish_reason ?? null,
		model,
		usage: usage
			? {
					prompt_tokens: usage.prompt_tokens,
					completion_tokens: usage.completion_tokens,
					total_tokens: usage.total_tokens,
				}
			: undefined,
		// Last: in n8n's table a long id pushes the rest out of sight.
		id,
	};
	return present(fields);
}

/** The service's own object. An `error` in it would send a good item to the error branch. */
export function full(completion: ChatCompletion): IDataObject {
	return without(completion, 'error') as IDataObject;
}

/** Feeds n8n's usage insights, where the running n8n has them (2.40 and later). */
export function countTokens(
	context: IExecuteFunctions,
	{ prompt_tokens, completion_tokens }: NonNullable<ChatCompletion['usage']>,
): void {
	try {
		n8n.accumulateTokenUsage(context, prompt_tokens, completion_tokens);
	} catch {
		// Before 2.40 it is undefined. The answer is paid for, with or without n8n's statistics.
	}
}

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
