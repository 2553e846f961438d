import { MAX_RESOURCE_BYTES, readBody } from './http/body';
import { type GatewayError, malformedBody, SHOWN_CHARACTERS } from './errors/gatewayError';
import { nextTurn } from './clock';
import { shortText } from './lineText';
import type { ServiceResponse } from './serviceRequest';
import { readErrorBody } from './errors/errorBody';
import { readAs, type ResourceSchema } from './schemas/lists';
import { parseUnbounded, TooComplexError, withinBounds } from './schemas/responseJson';
import { htmlToText, isHtml, toServiceError } from './errors/serviceError';

/** As many contain what an error shows and the longest key. */
const READ_BYTES = 1024 * 1024;
/** Before and after a longer text is parsed, the event loop has a turn. */
const LONG_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = 'The response is larger than any response of this service';

/** The error for a malformed body, which shows its beginning without the key. */
export function malformedResponse(
	{ apiKey }: ServiceResponse,
	message: string,
	body: string | Buffer,
): GatewayError {
	const start = apiKey.redactStart(body.slice(0, READ_BYTES).toString(), SHOWN_CHARACTERS);
	return malformedBody(message, describedStart(start));
}

/** n8n shows descriptions as HTML, which would join the words of a page. */
function describedStart(bodyStart: string): string {
	if (!isHtml(bodyStart)) return bodyStart || '(empty body)';
	return `an HTML page instead of a response (${htmlToText(bodyStart) || 'no text'})`;
}

/** Makes what a service sent into the shape of the interface. */
export type Door = (value: unknown) => unknown;

/** A resource without the key, for items and errors, and as the service sent it: URLs and IDs that are used come from there. */
export interface ReadResource<Resource> {
	shown: Resource;
	sent: Resource;
}

/**
 * Reads a successful response as the JSON of a resource.
 * @throws GatewayError with the start of a body that is not that resource
 * @throws ServiceError when the body is one of the service's error bodies anyway
 */
export async function readResource<Resource>(
	response: ServiceResponse,
	schema: ResourceSchema<Resource>,
	from: Door,
	maxBytes = MAX_RESOURCE_BYTES,
): Promise<ReadResource<Resource>> {
	const { bytes, complete } = await readBody(response.body, maxBytes, response.onProgress);
	return await parseResource(bytes, complete, response, schema, from);
}

/** Why a body is not JSON: it may have a content coding that was not asked for. */
function notJsonAdvice({ headers, apiKey }: ServiceResponse): string {
	const coding = String(headers['content-encoding'] ?? '');
	if (/^(x-gzip|gzip|br|identity|)$/i.test(coding.trim())) return 'The response is not JSON';
	return `The response is compressed with ${shortText(apiKey.redactError(coding))}, which was not asked for and cannot be read here`;
}

/**
 * Parses a body as the JSON of a resource, as {@link readResource} does.
 * @param refusal the error about JSON that is not the resource; its value is undefined if it has too much to be read
 */
export async function parseResource<Resource>(
	bytes: Buffer,
	complete: boolean,
	response: ServiceResponse,
	schema: ResourceSchema<Resource>,
	from: Door,
	refusal: (error: GatewayError, value: unknown) => GatewayError = (error) => error,
): Promise<ReadResource<Resource>> {
	const tooLarge = (why: string) =>
		refusal(malformedResponse(response, `${TOO_LARGE}${why}`, bytes), undefined);
	if (!complete) throw tooLarge('');
	const isLong = bytes.length > LONG_BYTES;
	const read = async (json: string) => {
		try {
			if (isLong) await nextTurn();
			let value = parseUnbounded(json);
			if (isLong) await nextTurn();
			// What the document shows is within all bounds, and none of its numbers is an ID.
			const result = readAs(value, schema, () => from((value = withinBounds(value, json))));
			return { value, result };
		} catch (error) {
			if (error instanceof TooComplexError) throw tooLarge(`: ${error.message}`);
			const isJson = !(error instanceof SyntaxError);
			throw isJson ? (error as Error) : malformedResponse(response, notJsonAdvice(response), bytes);
		}
	};
	const body = bytes.toString('utf8');
	// A key that the service repeats in a good response would be stored by n8n.
	const text = response.apiKey.redactResponse(body);
	const shown = await read(text);
	const sent = text === body ? shown : await read(body);
	if (shown.result.success && sent.result.success)
		return { shown: shown.result.data, sent: sent.result.data };
	const tooBig = shown.result.error?.issues.find(({ code }) => code === 'too_big');
	if (tooBig) throw tooLarge(`: ${tooBig.message}`);
	const error = readErrorBody(shown.value)
		? toServiceError(response, shown.value)
		: malformedResponse(response, 'The response does not have the format of the service', bytes);
	throw refusal(error, sent.value);
}
