import * as workflow from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { type ChatCompletion, type ChatRequest, chatRequest } from '../../gateway';
import { runsAsTool } from '../shared/asTool';
import { additionalBody, readChatOptions, requestFields } from '../shared/chatOptions';
import type { Service } from '../shared/connect';
import { eachItem } from '../shared/eachItem';
import { RunHints } from '../shared/hints';
import { readModel } from '../shared/modelLocator';
import { readSwitch, readSwitchOf, without } from '../shared/parameterValues';
import { RequestLedger, requestKey } from '../shared/requestLedger';
import { notePartialAnswer } from './answerHints';
import { StreamedChunks } from './streamedChunks';
import { readMessages } from './messages';

interface Answered extends IDataObject {
	completion: ChatCompletion & IDataObject;
}

interface Prepared {
	request: ChatRequest;
	stream: boolean;
	simplify: boolean;
}

/** Asks the model once for each item. An item that was answered in an earlier try is not asked again. */
export async function complete(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	let answers: RequestLedger<Answered> | undefined;
	const hints = new RunHints('answer');
	const isLive = isWatched(context);
	let items: INodeExecutionData[] | undefined;
	try {
		items = await eachItem(context, (service) => {
			const paid = (answers = new RequestLedger<Answered>(context, 'answers'));
			return {
				prepare: (itemIndex) => prepare(context, itemIndex, isLive),
				async run({ request, stream, simplify }, itemIndex) {
					const ask = async () => {
						if (!stream) return await service.gateway.chat(request, service.signal);
						const live = isLive ? new StreamedChunks(context, itemIndex) : undefined;
						return await streamed(service, request, live);
					};
					const key = requestKey(itemIndex, request);
					const answered = paid.find(key)?.completion;
					const completion = answered ?? ((await ask()) as ChatCompletion & IDataObject);
					if (answered === undefined) {
						countTokens(context, completion);
						paid.remember(key, { completion });
					}
					notePartialAnswer(hints, completion, simplify);
					const json = simplify ? simplified(completion) : full(completion);
					return [{ json, pairedItem: { item: itemIndex } }];
				},
			};
		});
		hints.show(context);
		return items;
	} finally {
		answers?.end(items);
	}
}

function prepare(context: IExecuteFunctions, itemIndex: number, isLive: boolean): Prepared {
	const options = readChatOptions(context, itemIndex);
	const request = chatRequest(
		{
			model: readModel(context, itemIndex),
			messages: readMessages(context, itemIndex),
			...requestFields(options),
		},
		additionalBody(options),
	);
	return {
		request,
		stream: readSwitch('stream', options.stream, isLive),
		simplify: readSwitchOf(context, itemIndex, 'simplify', true),
	};
}

/**
 * Whether someone reads along: n8n sends chunks even when nobody does, and older versions cannot. What a tool says is
 * for its agent, and would stand among the agent's own words.
 */
function isWatched(context: IExecuteFunctions): boolean {
	return !runsAsTool(context.getNode()) && (context.isStreaming?.() ?? false);
}

/** @param live whoever reads along */
async function streamed(
	{ gateway, signal }: Service,
	request: ChatRequest,
	live: StreamedChunks | undefined,
): Promise<ChatCompletion> {
	live?.begin();
	try {
		return await gateway.streamChat(request, (text) => live?.text(text), signal);
	} finally {
		await live?.end();
	}
}

function simplified({ id, model, choices, usage }: ChatCompletion): IDataObject {
	const choice = choices.find(({ index }) => index === 0) ?? choices[0];
	return {
		text: choice?.message.content ?? '',
		finish_reason: choice?.finish_reason ?? null,
		...(model !== undefined && { model }),
		...(id !== undefined && { id }),
		...(usage && {
			usage: {
				prompt_tokens: usage.prompt_tokens,
				completion_tokens: usage.completion_tokens,
				total_tokens: usage.total_tokens,
			},
		}),
	};
}

/** The service's own object. An `error` in it would send a good item to the error branch. */
function full(completion: ChatCompletion): IDataObject {
	return without(completion, 'error') as IDataObject;
}

/** Feeds n8n's usage insights, where the running n8n has them (2.40 and later). */
function countTokens(context: IExecuteFunctions, { usage }: ChatCompletion): void {
	if (!usage || !('accumulateTokenUsage' in workflow)) return;
	const accumulate: unknown = workflow.accumulateTokenUsage;
	if (typeof accumulate === 'function')
		accumulate(context, usage.prompt_tokens, usage.completion_tokens);
}
