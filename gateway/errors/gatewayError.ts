import * as z from 'zod';
import type { NodeCode, SystemCode } from './nodeCodes';

/**
 * What is known of a failure: made where it happens, stored in the book as it is, and shown as n8n's error or as an error item.
 * The fields with an underscore are those of the error item.
 */
export const errorRecord = z.object({
	/** What happened. */
	message: z.string(),
	/** What the user can do next, in plain words. */
	advice: z.string(),
	/** Machine-readable: the service's own code if it sent one, else one of the node's. */
	code: z.string(),
	/** Undefined if the failure is not a response. */
	http_status: z.number().optional(),
	/** What the response says, without the key, and who says it. Default: the service. */
	words: z.string().optional(),
	speaker: z.string().optional(),
	/** The error message of the network or the operating system. */
	technical: z.string().optional(),
	/** How often the request was sent. Default: once. */
	sent: z.number().optional(),
	/** Whether the service may have accepted this billable request: a second one may be billed, too. */
	may_have_been_accepted: z.boolean().optional(),
	/** The text of an answer that arrived before the failure, and may be billed. */
	partial_text: z.string().optional(),
	/** The field that is refused: the service's name of it, such as `messages[1].role`. */
	parameter: z.string().optional(),
	/** Why the service filtered the content (`data.reason`). */
	reason: z.string().optional(),
	/** Seconds that the service asks to wait. */
	retry_after: z.number().optional(),
	/** The rate-limit headers of the interface document, where the service sent them. `reset` is a Unix time in seconds. */
	rate_limit: z
		.object({
			limit: z.number().optional(),
			remaining: z.number().optional(),
			reset: z.number().optional(),
		})
		.optional(),
	/** The task that the failure is about, whatever became of its poll or its download. */
	task: z
		.object({
			task_id: z.string(),
			status: z.string().optional(),
			url: z.string().nullable().optional(),
		})
		.optional(),
	/** What the service said of the task, as it was sent. */
	task_error: z.unknown().optional(),
	/** Shown as n8n's NodeApiError. */
	isApiError: z.boolean().optional(),
	/** What n8n knows of its own error: the node and the field of an expression. */
	n8nContext: z.record(z.string(), z.unknown()).optional(),
	/** The failure of an earlier try that may be billed. */
	get earlier() {
		return errorRecord.optional();
	},
});

export type ErrorRecord<Code extends string = string> = z.infer<typeof errorRecord> & {
	code: Code;
};

/** What code decides by, and the book does not keep. */
interface Facts {
	cause?: unknown;
	/** How long the server asks to wait, in milliseconds. */
	retryAfterMs?: number | undefined;
	/** Whether the service answered, in a form that is not understood. */
	isAnswer?: boolean;
	/** The same request may succeed later. */
	transient?: boolean;
	/** No connection took the request, or none to the service. */
	isNeverSent?: boolean;
}

/** A failure on its way up. The gateway throws no other errors. */
export class GatewayError extends Error {
	override readonly name: string = 'GatewayError';
	readonly record: ErrorRecord;
	readonly retryAfterMs: number | undefined;
	readonly isAnswer: boolean;
	readonly transient: boolean;
	readonly isNeverSent: boolean;

	constructor(failure: ErrorRecord & Facts) {
		const { cause, retryAfterMs, isAnswer, transient, isNeverSent, ...record } = failure;
		super(record.message, { cause });
		this.record = record;
		this.retryAfterMs = retryAfterMs;
		this.isAnswer = isAnswer === true;
		this.transient = transient === true;
		this.isNeverSent = isNeverSent === true;
	}

	get code(): string {
		return this.record.code;
	}
}

/** What an error response tells. */
export interface ToldByResponse {
	/** The service itself responded: the body is an error body of the service, and its status is documented. */
	isOfService: boolean;
	/** The body has a code that the document names for its status. */
	hasInterfaceCode: boolean;
	/** A server in between responded: nobody knows what the service did. */
	isFromServerInBetween: boolean;
	/** The service says that it got no answer from a server behind it, which may have done the work. */
	isAnswerLost: boolean;
	/** The status whose row of the table tells whether the request is retried, and whether it may be billed. */
	readAs: number;
	/** Whether the service asks to send the request again, or not to. */
	asksForRetry: boolean;
	forbidsRetry: boolean;
}

/** The service, or a server in between, responded with an error. */
export class ServiceError extends GatewayError {
	override readonly name = 'ServiceError';
	readonly status: number;

	constructor(
		failure: ErrorRecord & Facts & { http_status: number },
		readonly told: ToldByResponse,
	) {
		// An overload is none, whatever its status.
		const isAnswer = failure.http_status < 300 && !failure.transient;
		super({ ...failure, isApiError: true, isAnswer });
		this.status = failure.http_status;
	}
}

/** No complete response arrived: refused, lost, timed out. The same request may succeed later, unless something else is known. */
export class NoResponseError extends GatewayError {
	override readonly name = 'NoResponseError';

	constructor(failure: ErrorRecord<NodeCode | SystemCode> & Facts) {
		super({ may_have_been_accepted: false, transient: true, ...failure, isApiError: true });
	}
}

export function noResponse(
	code: NodeCode | SystemCode,
	message: string,
	advice: string,
	more: Partial<ErrorRecord> & Facts = {},
): NoResponseError {
	return new NoResponseError({ ...more, message, advice, code });
}

/** The signal was aborted. */
export class CancelledError extends GatewayError {
	override readonly name = 'CancelledError';
	/** @param mayHaveBeenAccepted whether a billable request was in flight */
	constructor(mayHaveBeenAccepted = false) {
		const code: NodeCode = 'cancelled';
		// n8n tells a stopped execution from a failed one by this word, in this spelling.
		super(
			mayHaveBeenAccepted
				? {
						message:
							'The execution was canceled during a billable request, which the service may have accepted',
						advice: 'It was stopped before the response arrived.',
						code,
						may_have_been_accepted: true,
					}
				: { message: 'The execution was canceled', advice: 'Nothing more is sent.', code },
		);
	}
}

/** Whether a failure has this code, and it is one of the node's: a service may use the same word. */
export function isOwn({ code, isApiError = false }: ErrorRecord, own: NodeCode): boolean {
	return code === own && !isApiError;
}

/** Whether the service may have accepted a request, or a part of an answer arrived, in this try or an earlier one. */
export function mayBeBilled(record: ErrorRecord): boolean {
	const { may_have_been_accepted = false, partial_text, earlier } = record;
	return (
		may_have_been_accepted || partial_text !== undefined || (!!earlier && mayBeBilled(earlier))
	);
}

/** The same failure of a request that the service may have accepted. */
export function asAccepted(error: GatewayError): GatewayError {
	if (error instanceof CancelledError) return new CancelledError(true);
	error.record.may_have_been_accepted = true;
	return error;
}

/** The same failure for another request, which counts its own attempts. */
export function forAnotherRequest<Failure extends GatewayError>(error: Failure): Failure {
	return withRecord(error, { sent: 1 });
}

/** The same failure, of which something else is said. */
export function withRecord<Failure extends GatewayError>(
	error: Failure,
	said: Partial<ErrorRecord>,
): Failure {
	const record = { ...error.record, ...said };
	return Object.create(error, { record: { value: record } }) as Failure;
}

/**
 * Input that is refused before anything is sent.
 * @param parameter the service's field name, such as `messages[1].role`
 */
export function invalidInput(
	parameter: string,
	message: string,
	advice = 'Correct the parameter and run the node again. Nothing was sent to the service.',
): GatewayError {
	const code = 'invalid_input' satisfies NodeCode;
	return new GatewayError({ message, advice, code, parameter });
}

export function isInvalidInput(error: unknown): error is GatewayError {
	return error instanceof GatewayError && isOwn(error.record, 'invalid_input');
}

const MALFORMED = 'malformed_answer' satisfies NodeCode;

/** Of an answer that an error shows. */
export const SHOWN_CHARACTERS = 300;

/**
 * A successful response with a body that the interface document does not allow.
 * @param words the beginning of the body, without the key
 */
export function malformedBody(message: string, words: string): GatewayError {
	const advice =
		'Check the Base URL in the credential: a proxy, a login page or another server may be responding instead of the service.';
	return new GatewayError({ message, advice, code: MALFORMED, words });
}

/**
 * An answer with another form than asked for.
 * @param text the answer, or a part of it, without the key
 */
export function malformedAnswer(message: string, text: string, advice: string): GatewayError {
	const words = text.slice(0, SHOWN_CHARACTERS);
	return new GatewayError({ message, advice, code: MALFORMED, words, speaker: 'The model' });
}

/** Whether a successful response could not be read. */
export function isMalformed(error: unknown): boolean {
	return error instanceof GatewayError && isOwn(error.record, MALFORMED);
}

/** Whether the service does not know what it was asked for, whatever the status; or another server does not. */
export function isNotFound(error: unknown): error is ServiceError {
	return error instanceof ServiceError && (error.status === 404 || error.code === 'task_not_found');
}
