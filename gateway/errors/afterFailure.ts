import { type GatewayError, isMalformed, NoResponseError, ServiceError } from './gatewayError';
import type { NodeCode } from './nodeCodes';
import { statusOf } from './statuses';

/** What is known of a request that failed. */
export interface FailedRequest {
	error: GatewayError;
	isBillable: boolean;
	/** A connection took it, so the service may have received it. */
	wasSent: boolean;
	/** A poll that no other follows: it is also sent again where a server in between failed it for good. */
	isLastPoll: boolean;
}

export interface AfterFailure {
	mayBeSentAgain: boolean;
	/** The service may have done what was asked for: a second request may be billed, too. */
	mayBeAccepted: boolean;
}

/** The one place that decides both. For billable requests, the table in docs/reliability.md says the same. */
export function afterFailure(request: FailedRequest): AfterFailure {
	const { error, isBillable, wasSent, isLastPoll } = request;
	const refused = { mayBeSentAgain: mayComeRight(error), mayBeAccepted: false };
	const lost = { mayBeSentAgain: false, mayBeAccepted: true };

	if (isLastPoll && isOfOtherServer(error)) return { ...refused, mayBeSentAgain: !isFinal(error) };
	if (!isBillable) return refused;
	if (!wasSent || error.isNeverSent) return refused;
	if (!(error instanceof ServiceError)) return lost;
	const { status, told } = error;
	// Whatever is said with such a status, even an overload: with 2xx, it may follow a part of the answer.
	if (statusOf(status).hidesSuccess === 'always') return lost;
	if (statusOf(told.readAs).hidesSuccess === undefined) return refused;
	return told.isFromServerInBetween || told.isAnswerLost ? lost : refused;
}

/** Whether the same request may succeed later. */
function mayComeRight(error: GatewayError): boolean {
	const isAskedFor = error instanceof ServiceError && error.told.asksForRetry;
	return !isFinal(error) && (error.transient || isAskedFor);
}

/** Whether the service forbids to send the request again. */
const isFinal = (error: GatewayError) => error instanceof ServiceError && error.told.forbidsRetry;

/** Codes of an HTTP proxy that refused to pass a request on. */
const PROXY_REFUSALS: string[] = ['proxy_login', 'proxy_refused'] satisfies NodeCode[];

/**
 * Whether another server than the service failed the request for good: a redirect, a page, the refusal of a proxy. A proxy
 * that is being redeployed responds like this for a while, and a wrong URL always does.
 */
export function isOfOtherServer(error: GatewayError): boolean {
	if (error.isAnswer) return false;
	if (error instanceof ServiceError) return !error.told.isOfService && !error.transient;
	if (error instanceof NoResponseError) return PROXY_REFUSALS.includes(error.code);
	return isMalformed(error);
}
