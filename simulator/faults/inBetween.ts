import { jsonAnswer } from '../answer';
import { handled, handledLate } from './effects/damage';
import { emptyAnswer, pageAnswer } from './effects/replace';
import { on, PAID } from './fault';

/** As long as some load balancers wait before they answer 503 in place of a service that is still at work. */
const LATE_MS = 11_000;

// As gateways in front of a service say it: without a code, or with their status as the code.
const FOREIGN_500 = { message: 'Internal server error' };
const FOREIGN_502 = { code: 502, message: 'The upstream server closed the connection', data: null };

/** The service does the work, and a server in between answers with an error of its own. */
export const inBetween = on(PAID, {
	'handled-html-500': ['handled, then 500 with an HTML page', handled(pageAnswer(500))],
	'handled-html-502': ['handled, then 502 with an HTML page', handled(pageAnswer(502))],
	'handled-empty-500': ['handled, then 500 without a body', handled(emptyAnswer(500))],
	'handled-empty-502': ['handled, then 502 without a body', handled(emptyAnswer(502))],
	'handled-foreign-500': [
		"handled, then 500 with another server's JSON",
		handled(jsonAnswer(FOREIGN_500, 500)),
	],
	'handled-foreign-502': [
		"handled, then 502 with another server's JSON",
		handled(jsonAnswer(FOREIGN_502, 502)),
	],
	'late-503': [
		'handled, then 503 with an HTML page after 11 s',
		handledLate(pageAnswer(503), LATE_MS),
	],
});
