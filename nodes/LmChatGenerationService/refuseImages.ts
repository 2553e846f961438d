import { textOnlyError } from './messages';

/** What LangChain asks of a chat model, as far as messages and tools go. */
interface LangChainModel {
	_generate(messages: unknown[], ...more: unknown[]): Promise<unknown>;
	_streamResponseChunks(messages: unknown[], ...more: unknown[]): AsyncIterable<unknown>;
	bindTools(...tools: unknown[]): unknown;
}

/**
 * Makes the model that n8n's SDK supplies refuse images and files. AI Agent passes the images of its item on by default,
 * and the SDK drops them before {@link GatewayChatModel} sees the messages: the model would answer without them.
 */
export function refuseImages(model: unknown, toNodeError: (error: unknown) => Error): unknown {
	if (!isLangChainModel(model)) return model;
	const { _generate, _streamResponseChunks, bindTools } = model;
	const check = (messages: unknown[]) => {
		if (messages.some(hasImage)) throw toNodeError(textOnlyError());
	};
	return Object.assign(model, {
		async _generate(messages: unknown[], ...more: unknown[]) {
			check(messages);
			return await _generate.call(model, messages, ...more);
		},
		async *_streamResponseChunks(messages: unknown[], ...more: unknown[]) {
			check(messages);
			yield* _streamResponseChunks.call(model, messages, ...more);
		},
		bindTools: (...tools: unknown[]) => refuseImages(bindTools.apply(model, tools), toNodeError),
	});
}

function isLangChainModel(model: unknown): model is LangChainModel {
	return (
		typeof model === 'object' &&
		model !== null &&
		['_generate', '_streamResponseChunks', 'bindTools'].every(
			(method) => typeof (model as Record<string, unknown>)[method] === 'function',
		)
	);
}

/** Whether a message of LangChain has a part such as `image_url`, `input_image`, `file` or `input_audio`. */
function hasImage(message: unknown): boolean {
	const parts = fieldOf(message, 'content');
	return (
		Array.isArray(parts) &&
		parts.some((part) => /image|audio|video|file/.test(String(fieldOf(part, 'type'))))
	);
}

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
