import { ServiceError } from '../../gateway';
import type { ErrorRecord, ToldByResponse } from '../../gateway/errors/gatewayError';
import { statusOf } from '../../gateway/errors/statuses';

/** An error response of the service itself, which tells nothing but its status. */
export function serviceError(
	status: number,
	told: Partial<ToldByResponse> = {},
	more: Partial<ErrorRecord> & { retryAfterMs?: number } = {},
): ServiceError {
	const { readAs = status } = told;
	return new ServiceError(
		{
			...{ message: 'Refused', advice: '', code: 'refused', ...more },
			http_status: status,
			transient: statusOf(readAs).isTransient === true,
		},
		{
			...{ isOfService: true, hasInterfaceCode: true, isFromServerInBetween: false },
			...{ isAnswerLost: false, asksForRetry: false, forbidsRetry: false, ...told, readAs },
		},
	);
}
