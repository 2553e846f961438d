import type { NodeCode, SystemCode } from './statuses';
import { htmlToText, isHtml } from './texts';

interface Details<Code extends string = NodeCode> {
	/** Machine-readable: the service's own code if it sent one, else one of the node's. */
	code: Code;
	/** What the user can do next, in plain words. */
	advice: string;
	/** The message of the service, without the key. */
	serviceMessage?: string | undefined;
	/** Whose words that message is. Default: the service's. */
	speaker?: string | undefined;
	/** The error message of the network or the operating system; none if it is empty. */
	technical?: string | undefined;
	/** How long the server asks to wait, in milliseconds. */
	retryAfterMs?: number | undefined;
	cause?: unknown;
}

/** The one family of errors that leaves the gateway. `message` says what happened, `advice` what to do next. */
export abstract class GatewayError extends Error {
	readonly code: string;
	readonly advice: string;
	readonly serviceMessage: string | undefined;
	readonly technical: string | undefined;
	readonly retryAfterMs: number | undefined;
	private readonly speaker: string;
	/** The text of a streamed answer that arrived before the failure. It may have been billed. */
	partialText?: string;
	/** The service may have accepted a billable request: sending it again may be billed twice. */
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

	/** What the response says, and who says it. */
	get quote(): string | undefined {
		return this.serviceMessage && `${this.speaker} says: ${this.serviceMessage}`;
	}
}

/** Refused before any request was sent. `parameter` is the service's field name, such as `messages[1].role`. */
export class InvalidInputError extends GatewayError {
	override readonly name = 'InvalidInputError';
	constructor(
		readonly parameter: string,
		message: string,
		advice = 'Correct the parameter and run the node again. Nothing was sent to the service.',
	) {
		super(message, { code: 'invalid_input' satisfies NodeCode, advice });
	}
}

/** What the interface document's rate-limit headers say, where the service sent them. */
export interface RateLimit {
	/** Request allowance. */
	limit?: number;
	/** Requests left in the window. */
	remaining?: number;
	/** When the window resets: Unix timestamp in seconds. */
	reset?: number;
}

/** The service, or a server in front of it, responded with an error. */
export class ServiceError extends GatewayError {
	override readonly name = 'ServiceError';
	readonly status: number;
	/** An error body of the service with a documented status: the service itself responded. */
	readonly isOfService: boolean;
	/** The body has a code that the document names for its status. */
	readonly hasInterfaceCode: boolean;
	/** Another server responded: it does not show what the service did. */
	readonly isForeign: boolean;
	/** Why the content was filtered (`data.reason`). */
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
			isForeign?: boolean;
			reason?: string | undefined;
			forbidsRetry?: boolean;
			rateLimit?: RateLimit | undefined;
		},
	) {
		super(message, {
			speaker: details.isForeign ? 'The server in between' : undefined,
			...details,
		});
		this.status = details.status;
		this.isOfService = details.isOfService ?? true;
		this.hasInterfaceCode = details.hasInterfaceCode ?? true;
		this.isForeign = details.isForeign ?? false;
		this.reason = details.reason;
		this.forbidsRetry = details.forbidsRetry ?? false;
		this.rateLimit = details.rateLimit;
	}
}

/** No complete response arrived: refused, lost, timed out. */
export class NoResponseError extends GatewayError {
	override readonly name = 'NoResponseError';
	/** The same request may succeed later without any change. */
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

/** A successful response with a body that the interface document does not allow. */
export class MalformedResponseError extends GatewayError {
	override readonly name = 'MalformedResponseError';
	readonly status: number;
	/** The first characters of the body, without the key. */
	readonly bodyStart: string;

	/** @param details the first characters of the body, and whose words they are: default the service's */
	constructor(
		message: string,
		details: { status: number; bodyStart: string; advice?: string; speaker?: string },
	) {
		super(message, {
			code: 'malformed_answer' satisfies NodeCode,
			advice:
				details.advice ??
				'Check the Base URL in the credential: a proxy, a login page or another server may be responding instead of the service.',
			serviceMessage: inWords(details),
			speaker: details.speaker,
		});
		this.status = details.status;
		this.bodyStart = details.bodyStart;
	}
}

/** How much of an answer an error shows. */
const SHOWN_CHARACTERS = 300;

/**
 * The error for an answer of a model that has another form than it should have.
 * @param words the answer, or a part of it, without the key
 */
export function malformedAnswer(
	message: string,
	words: string,
	advice: string,
): MalformedResponseError {
	return new MalformedResponseError(message, {
		status: 200,
		bodyStart: words.slice(0, SHOWN_CHARACTERS),
		speaker: 'The model',
		advice,
	});
}

/** n8n shows descriptions as HTML, which would join the words of a page. A model may begin with a tag, or say nothing. */
function inWords({ bodyStart, speaker }: { bodyStart: string; speaker?: string }): string {
	if (bodyStart === '' && speaker === undefined) return '(empty body)';
	if (speaker !== undefined || !isHtml(bodyStart)) return bodyStart;
	return `an HTML page instead of a response (${htmlToText(bodyStart) || 'no text'})`;
}

/** The option Max Billable Requests refuses a request: nothing was sent. */
export class SpendingLimitError extends GatewayError {
	override readonly name = 'SpendingLimitError';
	/**
	 * @param max how many billable requests an execution may send with a node
	 * @param made how many it has sent
	 * @param needed how many it would send next
	 * @param ofItem how many of them are one request
	 */
	constructor(max: number, made: number, needed: number, ofItem = needed) {
		const requests = made === 1 ? 'request' : 'requests';
		super(
			ofItem > max
				? `Max Billable Requests (${max}) is less than this one request counts (${ofItem})`
				: `Max Billable Requests (${max}) does not allow this request`,
			{
				code: 'spending_limit' satisfies NodeCode,
				advice:
					ofItem > max
						? 'Nothing was sent in this try. Increase Max Billable Requests in the options of the node, or ask for fewer videos.'
						: `This execution made ${made} billable ${requests} with this node and needs ${needed} more. Nothing was sent in this try. Check whether a loop or an agent repeats the node, or increase Max Billable Requests in its options.`,
			},
		);
	}
}

/** The execution was stopped. */
export class CancelledError extends GatewayError {
	override readonly name = 'CancelledError';
	/** @param mayHaveBeenAccepted a billable request was in flight */
	constructor(mayHaveBeenAccepted = false) {
		// n8n's spelling: this word tells a stopped execution from a failed one.
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

/** The service, or another server, knows no such task. */
export function isNotFound(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.status === 404;
}
