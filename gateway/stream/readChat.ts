import { answerEnd, firstChoice, textOf } from '../answer/answer';
import { completionFrom, errorBeside } from '../dialects';
import { toServiceError } from '../errors/serviceError';
import { MAX_ANSWER_BYTES } from '../http/body';
import { parseResource } from '../parseResponse';
import { type Completion, chatCompletion } from '../schemas/chat';
import type { ServiceResponse } from '../serviceRequest';
import { readEvents } from './readEvents';
import { plainText } from '../schemas/responseJson';
import { StreamedAnswer } from './streamedAnswer';

/**
 * Reads a chat completion: in one piece, or as an event stream, and passes each piece of text on as it arrives. Some services always
 * stream, others never do, and some call a stream JSON: how the body begins decides, not its type.
 * @throws NoResponseError when a stream ends without a finish reason or `[DONE]`
 * @throws ServiceError when the service reports an error, also inside a stream or beside an answer
 * @throws GatewayError when the body or an event is not JSON, or when there is no answer
 */
export async function readChat(
	response: ServiceResponse,
	onText: (text: string) => void,
): Promise<Completion> {
	let passedOn = '';
	const passOn = (text: string) => {
		if (text === '') return;
		passedOn += text;
		onText(text);
	};
	const answer = new StreamedAnswer(response, passOn);
	const { isDone, whole } = await readEvents(response, answer);
	const completion = whole ? await wholeAnswer(whole, response) : answer.toCompletion(isDone);
	const text = textOf(completion);
	if (text.startsWith(passedOn)) passOn(text.slice(passedOn.length));
	const error = whole && errorBeside(completion);
	if (error !== undefined) throw toServiceError(response, error);
	if (answerEnd(completion) === 'failed') {
		const reasons = Object.entries(firstChoice(completion)).filter(
			([name, value]) => name.endsWith('finish_reason') && typeof value === 'string',
		);
		const words = reasons.map(([name, reason]) => `${name}: ${plainText(reason)}`).join(', ');
		throw toServiceError(response, { error: { message: `The answer ended with ${words}` } });
	}
	return completion;
}

async function wholeAnswer(body: Buffer, response: ServiceResponse): Promise<Completion> {
	const isComplete = body.length <= MAX_ANSWER_BYTES;
	const read = await parseResource(body, isComplete, response, chatCompletion, completionFrom);
	return read.shown;
}
