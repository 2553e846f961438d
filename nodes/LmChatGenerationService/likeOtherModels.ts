/**
 * Makes the model that n8n's SDK supplies behave like n8n's own chat models, as agents and chains expect. The comment of
 * each wrap says what the SDK does without it. A wrap can go once the SDK does better: its newest version, 0.31.1 (of n8n 2.41),
 * needs all of them.
 */
import { invalidInput, jsonValuesIn, malformedAnswer, plainText } from '../../gateway';
import { fieldOf } from '../shared/form/parameterValues';

interface Message {
	content: unknown;
	additional_kwargs: object;
	tool_calls: Array<{ args: unknown }>;
}

/** What LangChain asks of a chat model, as far as it is wrapped here. */
interface LangChainModel extends BoundModel {
	_generate(
		messages: unknown[],
		...more: unknown[]
	): Promise<{ generations: Array<{ message: Message }> }>;
	_streamResponseChunks(
		messages: unknown[],
		...more: unknown[]
	): AsyncIterable<{ message: Message }>;
	bindTools(tools: object[]): LangChainModel;
	callbacks?: unknown;
}

/** LangChain's steps of a chain. */
interface BoundModel {
	withConfig(options: object): BoundModel;
	pipe(next: (message: Message) => unknown): unknown;
}

interface Errors {
	/** Makes the error that n8n shows at the node of the model. */
	toNodeError(error: unknown): Error;
	/** Takes the key out of a text. */
	redact(text: string): string;
}

export function likeOtherModels<Model>(model: Model, errors: Errors): Model {
	if (!isLangChainModel(model)) return model;
	const { _generate, _streamResponseChunks, bindTools: bind } = model;
	/** @throws NodeError for what would be lost */
	const sendable = (messages: unknown[]) => {
		if (!messages.some(hasFile)) return messages.map(withSendBack);
		const textOnly = invalidInput(
			'messages',
			'The messages contain an image or a file, but the service accepts text only',
			'In the AI Agent, open Options and turn off Automatically Passthrough Binary Images and Automatically Passthrough Binary PDFs. Elsewhere, remove the image or file from the messages. Nothing was sent to the service.',
		);
		throw errors.toNodeError(textOnly);
	};
	const bindTools = (tools: object[], options?: ToolOptions) => {
		const bound = likeOtherModels(bind.call(model, tools), errors);
		return options === undefined ? bound : bound.withConfig(readToolChoice(options));
	};
	readStreamedUsage(model.callbacks);
	return Object.assign(model, {
		async _generate(messages: unknown[], ...more: unknown[]) {
			const result = await _generate.call(model, sendable(messages), ...more);
			for (const { message } of result.generations) likeAnswer(message);
			return result;
		},
		async *_streamResponseChunks(messages: unknown[], ...more: unknown[]) {
			for await (const chunk of _streamResponseChunks.call(model, sendable(messages), ...more)) {
				likeAnswer(chunk.message);
				yield chunk;
			}
		},
		bindTools,
		withStructuredOutput: (schema: object, options: StructuredOutputOptions = {}) =>
			structuredOutput(bindTools, schema, options, errors),
		getNumTokens: async (content: unknown) => await Promise.resolve(estimateTokens(content)),
	});
}

function isLangChainModel(model: unknown): model is LangChainModel {
	return typeof fieldOf(model, '_generate') === 'function';
}

/**
 * Whether a message has a part such as `image_url`, `input_image`, `file` or `input_audio`. The SDK drops these before
 * {@link GatewayChatModel} sees the messages, and AI Agent passes the images of its item on by default: the model would
 * answer without them.
 */
function hasFile(message: unknown): boolean {
	const parts = fieldOf(message, 'content');
	return (
		Array.isArray(parts) &&
		parts.some((part) => /image|audio|video|file/.test(plainText(fieldOf(part, 'type'))))
	);
}

/**
 * Moves what a reasoning model needs back from a part of the answer to `additional_kwargs`, which n8n's agents carry to the
 * next question.
 */
function likeAnswer(message: Message): void {
	const parts: unknown[] = Array.isArray(message.content) ? message.content : [];
	const sendBack = parts.find((part) => fieldOf(part, 'type') === 'non_standard');
	Object.assign(message.additional_kwargs, fieldOf(sendBack, 'value'));
	message.content = textOfParts(message.content);
}

/** The SDK drops the `additional_kwargs` of a question's messages, and hands on the `response_metadata` with each call. */
function withSendBack(message: unknown): unknown {
	const kwargs = fieldOf(message, 'additional_kwargs');
	if (!Array.isArray(fieldOf(message, 'tool_calls')) || kwargs === undefined) return message;
	const copy: object = Object.create(Object.getPrototypeOf(message) as object) as object;
	return Object.assign(copy, message, { response_metadata: kwargs });
}

/** The SDK gives a text as a list of parts: Agent 1.x puts a line break between them, and LangChain Code gets the list. */
function textOfParts(content: unknown): string {
	if (!Array.isArray(content)) return plainText(content);
	return content.map((part) => plainText(fieldOf(part, 'text'))).join('');
}

/**
 * The SDK reads the token usage under the names that LangChain gives it in a whole answer, not under those of a streamed
 * one: n8n shows an estimate then, also where the service sent the usage.
 */
function readStreamedUsage(callbacks: unknown): void {
	for (const callback of [callbacks].flat()) {
		const options = fieldOf(callback, 'options');
		const parse = fieldOf(options, 'tokensUsageParser');
		if (typeof parse !== 'function') continue;
		const tokensUsageParser = (result: unknown): unknown => {
			const usage = fieldOf(fieldOf(result, 'llmOutput'), 'tokenUsage');
			return fieldOf(usage, 'promptTokens') === undefined ? parse(result) : usage;
		};
		Object.assign(Object(options), { tokensUsageParser });
	}
}

interface ToolOptions {
	tool_choice?: unknown;
}

const TOOL_CHOICES = ['auto', 'none', 'required'];

/** The SDK ignores `tool_choice`. LangChain lets a node name the tool alone, and has a word of its own for "required". */
function readToolChoice(options: ToolOptions): ToolOptions {
	const tool_choice = options.tool_choice === 'any' ? 'required' : options.tool_choice;
	const isName = typeof tool_choice === 'string' && !TOOL_CHOICES.includes(tool_choice);
	if (!isName) return { ...options, tool_choice };
	return { ...options, tool_choice: { type: 'function', function: { name: tool_choice } } };
}

interface StructuredOutputOptions {
	name?: string;
	includeRaw?: boolean;
}

/**
 * A model that fills in a schema, by a tool that it has to call. LangChain's own structured output refuses every message of the
 * SDK ("Input is not an AIMessageChunk"), so n8n's evaluations failed.
 */
function structuredOutput(
	bindTools: (tools: object[], options: ToolOptions) => BoundModel,
	schema: object,
	{ name = 'extract', includeRaw = false }: StructuredOutputOptions,
	errors: Errors,
): unknown {
	const description = plainText(fieldOf(schema, 'description')) || 'Hands over the answer';
	const read = async ({ content, tool_calls: [call] }: Message): Promise<unknown> => {
		const text = textOfParts(content);
		// A model that knows no tools may answer with JSON all the same.
		const answer = { choices: [{ message: { content: text } }] };
		const given = call === undefined ? jsonValuesIn(answer)?.at(-1) : call.args;
		const parse = fieldOf(schema, 'parseAsync');
		try {
			if (given === undefined) throw new Error('It has no JSON.');
			return typeof parse === 'function' ? ((await parse.call(schema, given)) as unknown) : given;
		} catch (error) {
			const unstructured = malformedAnswer(
				'The model did not answer in the requested structure',
				errors.redact(call === undefined ? text : JSON.stringify(given)),
				`${errors.redact(reasonsOf(error))} Run the node again, or choose a model that can call tools.`,
			);
			throw errors.toNodeError(unstructured);
		}
	};
	return bindTools([{ name, description, schema }], { tool_choice: name }).pipe(async (raw) =>
		includeRaw ? { raw, parsed: await read(raw).catch(() => null) } : await read(raw),
	);
}

/** What a schema, such as one of zod, says of an answer. These words may quote the answer. */
function reasonsOf(error: unknown): string {
	const issues = fieldOf(error, 'issues');
	if (!Array.isArray(issues)) return plainText(fieldOf(error, 'message'));
	const reasons = issues.map((issue) => {
		const path = [fieldOf(issue, 'path')].flat().map(plainText);
		return `${path.join(',')}: ${plainText(fieldOf(issue, 'message'))}.`;
	});
	return reasons.join(' ');
}

const BYTES_PER_TOKEN = 4;

/**
 * Estimates the tokens of a text, to decide how to split it. LangChain fetches a tokenizer from the internet for that, and tries
 * for over a minute in a closed network. Bytes are counted, since scripts other than Latin take more bytes and more tokens.
 */
function estimateTokens(content: unknown): number {
	return Math.ceil(new TextEncoder().encode(textOfParts(content)).length / BYTES_PER_TOKEN);
}
