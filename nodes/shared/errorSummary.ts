import { GatewayError } from '../../gateway';

/** What happened, what to do and what the service says, for places of the editor that show one text alone. */
export function errorSummary(error: unknown): string {
	if (!(error instanceof GatewayError))
		return error instanceof Error ? error.message : String(error);
	const { message, advice, quote } = error;
	return `${message}. ${advice}${quote ? ` ${quote}` : ''}`;
}
