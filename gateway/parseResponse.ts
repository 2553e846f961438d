import type * as z from 'zod';
import { readBody } from './http/body';
import { MalformedResponseError } from './errors/gatewayError';
import type { ApiKey } from './redaction';
import type { ServiceResponse } from './sendRequest';
import { readErrorBody, toServiceError } from './http/serviceError';

/** How much of a body that makes no sense an error shows. */
const SHOWN_CHARACTERS = 300;
/** The key is taken out before the text is cut, since half a key would not be recognised. */
export const REDACTED_BYTES = 64 * 1024;

export function startOf(text: string): string {
	return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/**
 * Reads a successful answer as JSON of a resource.
 * @throws MalformedAnswerError that shows the start of a body that is not that resource
 * @throws ServiceError when the body is one of the service's error bodies all the same
 */
export async function readResource<Resource>(
	answer: ServiceResponse,
	schema: z.ZodType<Resource>,
	secret: ApiKey,
	now: () => number,
	limit: number,
): Promise<Resource> {
	const { bytes, complete } = await readBody(answer.body, limit, answer.onProgress);
	return parseResource(bytes, complete, answer, schema, secret, now);
}

function withoutByteOrderMark(text: string): string {
	return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Parses a body as JSON of a resource, as {@link readResource} does. */
export function parseResource<Resource>(
	bytes: Buffer,
	complete: boolean,
	answer: ServiceResponse,
	schema: z.ZodType<Resource>,
	secret: ApiKey,
	now: () => number,
): Resource {
	const malformed = (message: string) =>
		new MalformedResponseError(message, {
			status: answer.status,
			bodyStart: startOf(secret.redact(bytes.toString('utf8', 0, REDACTED_BYTES))),
		});
	if (!complete) {
		throw malformed('The answer is larger than any answer of this service');
	}
	let value: unknown;
	try {
		// A key that the service repeats in a good answer would lie in the execution's data for ever.
		value = JSON.parse(withoutByteOrderMark(secret.redact(bytes.toString('utf8'))));
	} catch {
		throw malformed('The answer is not JSON');
	}
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	if (readErrorBody(value)) {
		throw toServiceError(answer, secret.redact(JSON.stringify(value)), now());
	}
	throw malformed('The answer is not what the interface of the service promises');
}
