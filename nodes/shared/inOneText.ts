import { GatewayError, ServiceError } from '../../gateway';

/** What happened, what to do and what the service says, for places of the editor that show one text alone. */
export function inOneText(error: unknown): string {
	if (!(error instanceof GatewayError))
		return error instanceof Error ? error.message : String(error);
	const { message, serviceMessage } = error;
	const advice =
		error instanceof ServiceError && error.status === 404
			? 'Check the Base URL in the credential, and leave out /v1.'
			: error.advice;
	return `${message}. ${advice}${serviceMessage ? ` The service says: ${serviceMessage}` : ''}`;
}
