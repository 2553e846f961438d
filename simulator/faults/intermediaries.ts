import { jsonResponse } from '../httpResponse';
import { handled, handledLate } from './effects/damage';
import { emptyResponse, htmlResponse } from './effects/replace';
import { faultsOn, BILLABLE } from './fault';

/** Some load balancers wait this long before they respond 503 for a service that is still working. */
const GATEWAY_TIMEOUT_MS = 11_000;

// As gateways in front of a service put it: without a code, or with the status as the code.
const FOREIGN_500 = { message: 'Internal server error' };
const FOREIGN_502 = { code: 502, message: 'The upstream server closed the connection', data: null };

/** The service does the work, and a server between it and the client responds with an error of its own. */
export const intermediaries = faultsOn(BILLABLE, {
	'handled-html-500': ['handled, then 500 with an HTML page', handled(htmlResponse(500))],
	'handled-html-502': ['handled, then 502 with an HTML page', handled(htmlResponse(502))],
	'handled-empty-500': ['handled, then 500 without a body', handled(emptyResponse(500))],
	'handled-empty-502': ['handled, then 502 without a body', handled(emptyResponse(502))],
	'handled-foreign-500': [
		"handled, then 500 with another server's JSON",
		handled(jsonResponse(FOREIGN_500, 500)),
	],
	'handled-foreign-502': [
		"handled, then 502 with another server's JSON",
		handled(jsonResponse(FOREIGN_502, 502)),
	],
	'late-503': [
		'handled, then 503 with an HTML page after 11 s',
		handledLate(htmlResponse(503), GATEWAY_TIMEOUT_MS),
	],
});
