import { type Fields, fieldsOf, isEmpty, isFields, plainText } from '../schemas/responseJson';
import { walk } from './answerWalk';
import { completionIn } from './completion';
import { isSuccess, SAYS_NOTHING, reasonWords } from './reasonWords';

/** Fields of a body that tell an error by itself; a numeric `status` tells what a title is. */
const TELLS =
	/^(?:title|status|errors?|detail|error_?description|reason|base_resp|(?:err(?:or)?_?|status_?|fail_?)?(?:message|msg|reason))$/i;
/** Fields with an object that has the code of the error. */
const INNER = ['error', 'errors', 'base_resp'];

/** An error body of any shape in the general one of the interface, with `type` and `param` of similar services; undefined for any other JSON. */
export function errorFrom(body: unknown): unknown {
	if (typeof body !== 'object' || body === null || isSuccess(body as Fields)) return undefined;
	const value = body as Fields;
	const fields = Object.entries(value).filter(([name]) => TELLS.test(name));
	const told: unknown = Array.isArray(value) ? value : Object.fromEntries(fields);
	const hasWords = reasonWords(told) !== '';
	if (!hasWords && typeof value.message !== 'string' && isEmpty(value.error)) return undefined;
	const error = asGeneral(value);
	if (hasWords) return error;
	const message = typeof value.message === 'string' ? '' : JSON.stringify(value.error);
	return { ...error, message };
}

/** The error of a task, in the general shape. Without readable words, its JSON is the message. */
export function reasonFrom(error: unknown): unknown {
	return asGeneral({ error });
}

function asGeneral(body: unknown): Fields {
	const { error, data: ownData } = fieldsOf(firstOf(body));
	const { reason } = fieldsOf(fieldsOf(error).data ?? ownData);
	return {
		message: reasonWords(body) || JSON.stringify(body),
		code: textIn(errorsIn(body), 'code', 'error_code', 'status_code'),
		type: textIn(errorsIn(error), 'type'),
		param: textIn(errorsIn(body), 'param'),
		data: { reason: typeof reason === 'string' ? reason : filtersIn(body) },
	};
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** An error and those inside it, the innermost first, which counts most. */
function errorsIn(value: unknown): Fields[] {
	const error = firstOf(value);
	return isFields(error) ? [...INNER.flatMap((name) => errorsIn(error[name])), error] : [];
}

/** The first text or number of these fields that says something. */
function textIn(errors: Fields[], ...names: string[]): string | undefined {
	const texts = errors.flatMap((error) => names.map((name) => error[name]));
	const found = texts.find((text) => {
		const isText = typeof text === 'string' && !SAYS_NOTHING.test(text.trim());
		return isText || typeof text === 'number';
	});
	return found === undefined ? undefined : plainText(found);
}

/** The categories of Azure's content filter that were found. */
function filtersIn(error: unknown): string | undefined {
	const found = walk(error).filter(({ value }) => fieldsOf(value).filtered === true);
	return found.map(({ key }) => key).join(', ') || undefined;
}

/**
 * The error body that a service such as OpenRouter sends beside a part of an answer: in the response or in one of its
 * choices. Beside choices, only the field `error` tells an error: fields such as `message` may mean something else.
 */
export function errorBeside(body: unknown): object | undefined {
	const answer = completionIn(body);
	if (!isFields(answer)) return undefined;
	const choices = Array.isArray(answer.choices) ? answer.choices.filter(isFields) : [];
	if (choices.length === 0 && errorFrom(answer)) return answer;
	const hasError = ({ error }: Fields) => !isEmpty(error);
	const part = hasError(answer) ? answer : choices.find(hasError);
	if (part) return { error: part.error };
	const { base_resp } = answer;
	return errorFrom(base_resp) ? { base_resp } : undefined;
}

/** The text with the error in a body: the body, or its first event, if it is an event stream (DashScope). */
export function errorTextIn(body: string): string {
	if (!/^\s*(?:id|event|data|error|retry)?:/.test(body)) return body;
	return /^(?:data|error):(.*)/m.exec(body)?.[1] ?? body;
}
