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
import { RunHints, showHints } from '../shared/output/hints';
import { withInputFields } from '../shared/output/item';
import { runsAsTool } from '../shared/run/runsAsTool';
import type { FormReader } from '../shared/form/formReader';
import { readBoolean } from '../shared/form/parameterValues';
import {
	additionalBody,
	collectionOf,
	readMaxBillableRequests,
	SENDING_OPTIONS,
} from '../shared/form/sharedProperties';
import { chatOptions, requestFields, systemMessage } from '../shared/form/chatOptions';
import { itemsOf } from '../shared/run/outcomes';
import { runItems } from '../shared/run/runItems';
import { afterEarlierTry, recordOf } from '../shared/run/errorText';
import { languageModelLocator, readModel } from '../shared/editor/modelLocator';
import { PaidBook } from '../shared/book/book';
import type { RequestParameters } from '../shared/book/fingerprints';
import type { BookEntry } from '../shared/book/schema';
import { paidRun, type PaidRun, refusalOf } from '../shared/book/paidRun';
import {
	type Answer,
	answerItemFields,
	countTokens,
	full,
	noJsonError,
	noteOddAnswer,
	readAnswer,
	simplified,
} from './answer';
import { StreamedChunks } from './streamedChunks';
import { messageProperties, readMessages } from './messages';

export const chatOptionsCollection = collectionOf('Options', 'options', chatOptions);

/** The parameters that form a request, listed only here. */
const chatRequestParameters: RequestParameters = {
	properties: [languageModelLocator, ...messageProperties, chatOptionsCollection],
	ignored: [
		...SENDING_OPTIONS,
		'stream',
		'jsonOutput',
		'includeInputFields',
		'maxBillableRequests',
		'user',
	],
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
interface ChatRun extends PaidRun {
	/** Shown when the run is over. */
	hints: RunHints;
	/** Whether a user reads the stream: n8n sends chunks even without a reader, and older versions cannot. */
	isLive: boolean;
}

/** Asks the model once per item. An item answered in an earlier try is not sent again. */
export async function complete(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<INodeExecutionData[]> {
	const book = new PaidBook(context, chatRequestParameters);
	const hints = new RunHints('answer');
	// A tool's output is for its agent, and would be mixed into the agent's own text.
	const isLive = !runsAsTool(context.getNode()) && Boolean(context.isStreaming?.());
	return await runItems(context, {
		properties,
		connected(service) {
			const run = { ...paidRun(service, book), hints, isLive };
			return {
				read: (itemIndex) => readForm(service.form, isLive, itemIndex),
				prepare: (form, itemIndex) => prepare(run, form, itemIndex),
				refusal: () => refusalOf(run),
				async work(prepared, itemIndex) {
					const answer = prepared.known ?? (await newAnswer(run, prepared, itemIndex));
					return [itemOf(run, prepared, answer, itemIndex)];
				},
				output(outcomes) {
					const items = itemsOf(context, outcomes);
					showHints(() => hints.show(context));
					return items;
				},
			};
		},
		end: (output) => book.end(output),
	});
}

function prepare(run: ChatRun, form: ChatForm, itemIndex: number): Prepared {
	const entry = run.book.entryOf(itemIndex, form.request);
	const known = entry.answer && readAnswer(entry.answer as Completion, form.jsonOutput);
	if (known === undefined) run.spending.plan(itemIndex, 1, form.maxBillableRequests);
	return { ...form, entry, known };
}

function readForm(form: FormReader, isLive: boolean, itemIndex: number) {
	const options = form.collection('options', itemIndex);
	const request = chatRequest(
		{
			model: readModel(form.read('model', itemIndex)),
			messages: readMessages(form, itemIndex),
			...requestFields(options),
		},
		additionalBody(options),
	);
	const system = systemMessage(options);
	// The system message is added after the check: an error numbers the messages of the form.
	const messages = [
		...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
		...request.messages,
	];
	return {
		request: { ...request, messages } satisfies ChatRequest,
		stream: readBoolean(options, 'stream', isLive),
		simplify: form.boolean('simplify', itemIndex, true),
		jsonOutput: readBoolean(options, 'jsonOutput', false),
		includeInputFields: readBoolean(options, 'includeInputFields', false),
		maxBillableRequests: readMaxBillableRequests(options),
	};
}

/** The item of one answer. */
function itemOf(
	run: ChatRun,
	prepared: Prepared,
	answer: Answer,
	itemIndex: number,
): INodeExecutionData {
	const { completion, values } = answer;
	const { simplify, jsonOutput, includeInputFields } = prepared;
	noteOddAnswer(run.hints, answer, simplify);
	const answered = simplify ? simplified(completion) : full(completion);
	// First what was asked for.
	const parsed = values.length > 0 ? { json: values.at(-1) as IDataObject } : {};
	const own: IDataObject = { ...parsed, ...answered, ...parsed };
	const json = includeInputFields
		? withInputFields(
				run.service.context,
				itemIndex,
				own,
				answerItemFields(simplify, jsonOutput),
				run.hints,
			)
		: own;
	return { json, pairedItem: { item: itemIndex } };
}

/** A new answer of the model. The book keeps it, or the failure that may be billed. */
async function newAnswer(run: ChatRun, prepared: Prepared, itemIndex: number): Promise<Answer> {
	const { service, spending, isLive } = run;
	const { context, signal } = service;
	const { request, stream, entry, jsonOutput, maxBillableRequests } = prepared;
	const gateway = service.gatewayOf(itemIndex);
	const send = async () => {
		if (!stream) return await gateway.chat(request, signal);
		const live = isLive ? new StreamedChunks(context, itemIndex) : undefined;
		live?.begin();
		try {
			return await gateway.streamChat(request, (text) => live?.text(text), signal);
		} finally {
			await live?.end();
		}
	};
	const asking = spending.spend(1, maxBillableRequests, send).then((completion) => {
		countTokens(context, completion);
		const answer = readAnswer(completion, jsonOutput);
		// An answer without JSON is not kept, so that Retry On Fail asks again.
		if (answer === undefined) throw noJsonError(completion, (text) => gateway.redactError(text));
		entry.answer = completion;
		return answer;
	});
	return await asking.catch((error: unknown) => {
		const record = recordOf(error);
		const isPaid = mayBeBilled(record);
		const { earlier } = entry;
		if (isPaid) entry.earlier = record;
		if (isPaid || error instanceof CancelledError) throw error;
		throw new GatewayError(afterEarlierTry(record, earlier));
	});
}
