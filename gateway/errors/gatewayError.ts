import type { NodeCode, SystemCode } from './statuses';

interface Details<Code extends string = NodeCode> {
	/** Machine-readable: the service's own code if it sent one, else one of the node's. */
	code: Code;
	/** What the user can do next, in plain words. */
	advice: string;
	/** What the response says, without the key. */
	serviceMessage?: string | undefined;
	/** Who says `serviceMessage`. Default: the service. */
	speaker?: string | undefined;
	/** The error message of the network or the operating system; an empty one is left out. */
	technical?: string | undefined;
	/** How long the server asks to wait, in milliseconds. */
	retryAfterMs?: number | undefined;
	cause?: unknown;
}

/** The gateway throws no other errors. `message` says what happened, `advice` what to do next. */
export abstract class GatewayError extends Error {
	readonly code: string;
	readonly advice: string;
	readonly serviceMessage: string | undefined;
	readonly technical: string | undefined;
	readonly retryAfterMs: number | undefined;
	private readonly speaker: string;
	/** The text of a streamed answer that arrived before the failure, and may be billed. */
	partialText?: string;
	/** The service may have accepted this billable request: a second one may be billed, too. */
	mayHaveBeenAccepted = false;
	/** How often the request was sent. */
	sent = 1;

	constructor(message: string, details: Details<string>) {
		super(message, details);
		this.code = details.code;
		this.advice = details.advice;
		this.serviceMessage = details.serviceMessage;
		this.technical = details.technical || undefined;
		this.retryAfterMs = details.retryAfterMs;
		this.speaker = details.speaker ?? 'The service';
	}

	/** The service may have accepted the request, or part of an answer arrived. */
	get mayBeBilled(): boolean {
		return this.mayHaveBeenAccepted || this.partialText !== undefined;
	}

	/** The message of the response with its speaker. */
	get quote(): string | undefined {
		return this.serviceMessage && `${this.speaker} says: ${this.serviceMessage}`;
	}
}

/** Input that is refused before anything is sent. */
export class InvalidInputError extends GatewayError {
	override readonly name = 'InvalidInputError';
	constructor(
		/** The service's field name, such as `messages[1].role`. */
		readonly parameter: string,
		message: string,
		advice = 'Correct the parameter and run the node again. Nothing was sent to the service.',
	) {
		super(message, { code: 'invalid_input' satisfies NodeCode, advice });
	}
}

/** The rate-limit headers of the interface document, where the service sent them. */
export interface RateLimit {
	/** Request allowance. */
	limit?: number;
	/** Requests left in the window. */
	remaining?: number;
	/** When the window resets: a Unix time in seconds. */
	reset?: number;
}

/** The service, or a server in between, responded with an error. */
export class ServiceError extends GatewayError {
	override readonly name = 'ServiceError';
	readonly status: number;
	/** The service itself responded: the body is an error body of the service, and its status is documented. */
	readonly isOfService: boolean;
	/** The body has a code that the document names for its status. */
	readonly hasInterfaceCode: boolean;
	/** A server in between responded: nobody knows what the service did. */
	readonly isFromServerInBetween: boolean;
	/** Why the service filtered the content (`data.reason`). */
	readonly reason: string | undefined;
	/** The service asks not to send the request again. */
	readonly forbidsRetry: boolean;
	readonly rateLimit: RateLimit | undefined;

	constructor(
		message: string,
		details: Details<string> & {
			status: number;
			isOfService?: boolean;
			hasInterfaceCode?: boolean;
			isFromServerInBetween?: boolean;
			reason?: string | undefined;
			forbidsRetry?: boolean;
			rateLimit?: RateLimit | undefined;
		},
	) {
		super(message, {
			speaker: details.isFromServerInBetween ? 'The server in between' : undefined,
			...details,
		});
		this.status = details.status;
		this.isOfService = details.isOfService ?? true;
		this.hasInterfaceCode = details.hasInterfaceCode ?? true;
		this.isFromServerInBetween = details.isFromServerInBetween ?? false;
		this.reason = details.reason;
		this.forbidsRetry = details.forbidsRetry ?? false;
		this.rateLimit = details.rateLimit;
	}
}

/** No complete response arrived: refused, lost, timed out. */
export class NoResponseError extends GatewayError {
	override readonly name = 'NoResponseError';
	/** The same request may succeed later. */
	readonly transient: boolean;

	constructor(
		message: string,
		details: Details<NodeCode | SystemCode> & {
			mayHaveBeenAccepted: boolean;
			transient?: boolean;
		},
	) {
		super(message, details);
		this.mayHaveBeenAccepted = details.mayHaveBeenAccepted;
		this.transient = details.transient ?? true;
	}
}

/** A successful response with a body that the interface document does not allow, or an answer with another form than asked for. */
export class MalformedResponseError extends GatewayError {
	override readonly name = 'MalformedResponseError';

	/** @param words the beginning of the body, without the key */
	constructor(message: string, words: string, details: { advice?: string; speaker?: string } = {}) {
		super(message, {
			code: 'malformed_answer' satisfies NodeCode,
			advice:
				'Check the Base URL in the credential: a proxy, a login page or another server may be responding instead of the service.',
			serviceMessage: words,
			...details,
		});
	}
}

/** Of an answer that an error shows. */
const SHOWN_CHARACTERS = 300;

/**
 * The error for an answer whose form is wrong.
 * @param words the answer, or a part of it, without the key
 */
export function malformedAnswer(
	message: string,
	words: string,
	advice: string,
): MalformedResponseError {
	const shown = words.slice(0, SHOWN_CHARACTERS);
	return new MalformedResponseError(message, shown, { speaker: 'The model', advice });
}

/** The signal was aborted. */
export class CancelledError extends GatewayError {
	override readonly name = 'CancelledError';
	/** @param mayHaveBeenAccepted whether a billable request was in flight */
	constructor(mayHaveBeenAccepted = false) {
		// n8n tells a stopped execution from a failed one by this word, in this spelling.
		super(
			mayHaveBeenAccepted
				? 'The execution was canceled during a billable request, which the service may have accepted'
				: 'The execution was canceled',
			{
				code: 'cancelled' satisfies NodeCode,
				advice: mayHaveBeenAccepted
					? 'It was stopped before the response arrived.'
					: 'Nothing more is sent.',
			},
		);
		this.mayHaveBeenAccepted = mayHaveBeenAccepted;
	}
}

/** A 404 of the service or of another server. */
export function isNotFound(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.status === 404;
}
