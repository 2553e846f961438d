import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import {
	CancelledError,
	type Completion,
	type ChatRequest,
	chatRequest,
	GatewayError,
	mayBeBilled,
} from '../../gateway';
import { hintAboutEach } from '../shared/output/hints';
import { withInputFields } from '../shared/output/item';
import { runsAsTool } from '../shared/run/runsAsTool';
import { readBoolean } from '../shared/form/parameterValues';
import {
	additionalBody,
	collectionOf,
	NOT_GENERATED,
	readMaxBillableRequests,
} from '../shared/form/sharedProperties';
import { chatOptions, requestFields, systemMessage } from '../shared/form/chatOptions';
import { Outcomes, outputOf } from '../shared/run/outcomes';
import type { Service } from '../shared/run/connect';
import { runItems } from '../shared/run/runItems';
import { afterEarlierTry, recordOf } from '../shared/run/errorText';
import { languageModelLocator, readModel } from '../shared/editor/modelLocator';
import { PaidBook } from '../shared/book/book';
import type { RequestParameters } from '../shared/book/fingerprints';
import type { BookEntry } from '../shared/book/schema';
import { SpendingLimit } from '../shared/book/spendingLimit';
import {
	type Answer,
	answerItemFields,
	countTokens,
	full,
	noJsonError,
	oddities,
	readAnswer,
	simplified,
} from './answer';
import { messageProperties, readMessages } from './messages';

export const chatOptionsCollection = collectionOf('Options', 'options', chatOptions);

/** The parameters that form a request, listed only here. */
const chatRequestParameters: RequestParameters = {
	properties: [languageModelLocator, ...messageProperties, chatOptionsCollection],
	ignored: [...NOT_GENERATED, 'stream', 'jsonOutput'],
};

/** What the form says of an item. */
type ChatForm = ReturnType<typeof readForm>;

/** One item before it is sent. */
interface Prepared extends ChatForm {
	entry: BookEntry;
	/** The answer that an earlier try paid for. */
	known: Answer | undefined;
}

/** One run of the node. */
interface ChatRun extends Service {
	spending: SpendingLimit;
	/** What hints say of the answers: one for each that is odd in some way. */
	odd: string[];
	/** Whether a user reads the stream: n8n sends chunks even without a reader. */
	isLive: boolean;
}

/** Asks the model once per item. An item answered in an earlier try is not sent again. */
export async function complete(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<INodeExecutionData[]> {
	const book = new PaidBook(context, chatRequestParameters);
	const outcomes = new Outcomes();
	// A tool's output is for its agent, and would be mixed into the agent's own text.
	const isLive = !runsAsTool(context.getNode()) && Boolean(context.isStreaming?.());
	return await runItems(context, {
		properties,
		connected(service) {
			const spending = new SpendingLimit(context);
			const run: ChatRun = { ...service, spending, odd: [], isLive };
			return {
				outcomes,
				read: (itemIndex) => readForm(run, itemIndex),
				prepare(form, itemIndex) {
					const entry = book.entryOf(itemIndex, form.request);
					const known = entry.answer && readAnswer(entry.answer as Completion, form.jsonOutput);
					if (known === undefined) spending.plan(itemIndex, 1, form.maxBillableRequests);
					return { ...form, entry, known };
				},
				refusal: () => spending.refusal(book.failureBefore),
				async work(prepared, itemIndex) {
					const answer = prepared.known ?? (await newAnswer(run, prepared, itemIndex));
					outcomes.done(itemIndex, [itemOfAnswer(run, prepared, answer, itemIndex)]);
				},
				output() {
					const items = outputOf(context, outcomes.ofItems);
					hintAboutEach(context, 'answer', run.odd);
					return items;
				},
			};
		},
		end: (output) => book.end(output),
	});
}

function readForm({ form, isLive }: ChatRun, itemIndex: number) {
	const options = form.collection('options', itemIndex);
	const request = chatRequest(
		{
			model: readModel(form.read('model', itemIndex)),
			messages: readMessages(form, itemIndex),
			...requestFields(options),
		},
		additionalBody(options),
	);
	const content = systemMessage(options);
	// The system message is added after the check: an error numbers the messages of the form.
	const system = content === undefined ? [] : [{ role: 'system' as const, content }];
	return {
		request: { ...request, messages: [...system, ...request.messages] } satisfies ChatRequest,
		stream: readBoolean(options, 'stream', isLive),
		simplify: form.boolean('simplify', itemIndex, true),
		jsonOutput: readBoolean(options, 'jsonOutput', false),
		includeInputFields: readBoolean(options, 'includeInputFields', false),
		maxBillableRequests: readMaxBillableRequests(options),
	};
}

/** The item of one answer. */
function itemOfAnswer(
	run: ChatRun,
	prepared: Prepared,
	answer: Answer,
	itemIndex: number,
): INodeExecutionData {
	const { completion, values } = answer;
	const { simplify, jsonOutput, includeInputFields } = prepared;
	run.odd.push(...oddities(answer, simplify));
	const answered = simplify ? simplified(completion) : full(completion);
	// First what was asked for.
	const parsed = values.length > 0 ? { json: values.at(-1) as IDataObject } : {};
	const own: IDataObject = { ...parsed, ...answered, ...parsed };
	const pairedItem = { item: itemIndex };
	if (!includeInputFields) return { json: own, pairedItem };
	const names = answerItemFields(simplify, jsonOutput);
	return { json: withInputFields(run.context, itemIndex, own, names, run.odd), pairedItem };
}

/** A new answer of the model. The book keeps it, or the failure that may be billed. */
async function newAnswer(run: ChatRun, prepared: Prepared, itemIndex: number): Promise<Answer> {
	const { context, gatewayOf, signal, spending, isLive } = run;
	const { request, stream, entry, jsonOutput, maxBillableRequests } = prepared;
	const gateway = gatewayOf(itemIndex);
	const send = async () => {
		if (!stream) return await gateway.chat(request, signal);
		const sendChunk = isLive ? chunkSender(context, itemIndex) : async () => {};
		void sendChunk('begin');
		try {
			return await gateway.chat(request, signal, (text) => void sendChunk('item', text));
		} finally {
			await sendChunk('end');
		}
	};
	try {
		const completion = await spending.spend(1, maxBillableRequests, send);
		countTokens(context, completion);
		const answer = readAnswer(completion, jsonOutput);
		// An answer without JSON is not kept, so that Retry On Fail asks again.
		if (answer === undefined) throw noJsonError(completion, (text) => gateway.redactError(text));
		entry.answer = completion;
		return answer;
	} catch (error) {
		const record = recordOf(error);
		const isPaid = mayBeBilled(record);
		const { earlier } = entry;
		if (isPaid) entry.earlier = record;
		const isWhole = isPaid || error instanceof CancelledError;
		throw isWhole ? error : new GatewayError(afterEarlierTry(record, earlier));
	}
}

/**
 * Sends the pieces of one item's answer to the reader of the workflow's stream, in order. It does not fail when the reader is
 * gone: the answer is paid for, and the next node gets it.
 */
function chunkSender(context: IExecuteFunctions, itemIndex: number) {
	let sending: Promise<void> = Promise.resolve();
	return async (type: 'begin' | 'item' | 'end', text?: string) => {
		sending = sending
			.then(async () => await context.sendChunk(type, itemIndex, text))
			.catch(() => {});
		return await sending;
	};
}
