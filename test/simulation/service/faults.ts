import { ApiError, apiErrorResponse, rateLimitHeaders } from '../../../simulator/apiError';
import { END, head, part, pause, RESET, STALL } from '../../../simulator/delivery';
import { damage, handled } from '../../../simulator/faults/effects/damage';
import { html, htmlResponse, replace } from '../../../simulator/faults/effects/replace';
import { ALL, type Effect, type Fault } from '../../../simulator/faults/fault';
import { readFaultSpec } from '../../../simulator/faults/faultSpec';
import { textResponse, withHeaders } from '../../../simulator/httpResponse';

const PING_SECONDS = 10;
const PINGS = 3600 / PING_SECONDS;

const LIMITED = 'rate_limit_exceeded';
const TOO_LARGE = 'Request too large for this model: limit 30000 tokens, requested 41022.';
const NO_QUOTA = 'You exceeded your current quota.';
const LONG_CODE = `code_${'x'.repeat(300)}\u001b[31m\u202e\n`;

const later = (seconds: number) => () => ({ 'retry-after': String(seconds) });

function refusal(
	status: number,
	code: string,
	message: string,
	headers: (nowMs: number) => Record<string, string> = () => ({}),
): Effect {
	return replace(({ shape, nowMs }) =>
		apiErrorResponse(new ApiError(status, code, message, null, headers(nowMs)), shape),
	);
}

/** What the simulator's own table lacks: it takes longer than a real socket should, or the interface does not describe it. */
const OWN: Readonly<Record<string, Effect>> = {
	/** The service does its work, and a server in between stops waiting. */
	'handled-html-408': handled(htmlResponse(408)),
	'handled-html-504': handled(htmlResponse(504)),
	'handled-html-524': handled(htmlResponse(524)),
	'handled-303': handled(
		withHeaders(textResponse(303, 'text/plain', 'See other.'), { location: 'https://login.test/' }),
	),
	'html-407': html(407),
	/** The work is done; the route to the service is gone before the response: exchange.ts makes another failure of it. */
	'lost-route': damage(() => [RESET]),
	'stalled-429': {
		kind: 'replace',
		deliver: ({ nowMs }) => [
			head(429, { 'content-type': 'application/json', ...rateLimitHeaders(1, 1, nowMs) }),
			part('{"code":"rate_limit_exceeded","message":"Too many requests.",'),
			STALL,
		],
	},
	/** For an hour only bytes that keep the connection alive, then the response. */
	pings: damage(function* ({ status, headers, body, events }) {
		yield head(status, headers);
		for (let sent = 0; sent < PINGS; sent += 1) {
			yield part(events ? ': ping\n\n' : ' ');
			yield pause(PING_SECONDS * 1000);
		}
		yield part(body);
		yield END;
	}),
	/** For hours a byte of the response now and then. */
	trickle: damage(function* ({ status, headers, body }) {
		yield head(status, headers);
		for (const byte of body) {
			yield part(Buffer.from([byte]));
			yield pause(PING_SECONDS * 1000);
		}
		yield END;
	}),
	/** One request that no limit will ever admit. */
	'too-large': refusal(429, LIMITED, TOO_LARGE, later(2)),
	'too-large-20': refusal(429, LIMITED, TOO_LARGE, later(20)),
	'should-not-retry': refusal(429, LIMITED, 'Not this one.', () => ({
		'retry-after': '1',
		'x-should-retry': 'false',
	})),
	'quota-429': refusal(429, 'insufficient_quota', NO_QUOTA),
	'quota-429-later': refusal(429, 'quota_not_enough', NO_QUOTA, later(20)),
	/** With a Retry-After that changes nothing. */
	'quota-403-later': refusal(403, 'quota_not_enough', NO_QUOTA, later(20)),
	/** The Retry-After is a Unix time. */
	'retry-after-unix': refusal(429, LIMITED, 'Too many requests.', (nowMs) => ({
		'retry-after': String(Math.ceil(nowMs / 1000) + 2),
	})),
	'wait-429': refusal(429, LIMITED, 'Busy.', later(20)),
	'wait-503': refusal(503, 'service_unavailable', 'Busy.', later(20)),
	/** The code is long, has control characters, and repeats the key. */
	'long-code': replace(({ shape, authorization }) => {
		const error = new ApiError(400, LONG_CODE + authorization, 'This request is not valid.');
		return apiErrorResponse(error, shape);
	}),
};

/** A fault of the simulator's table or one of the simulation's own. */
export function faultNamed(name: string): Fault | undefined {
	const effect = OWN[name];
	if (effect === undefined) return readFaultSpec(name)?.fault;
	return { name, description: 'only in the simulation', endpoints: ALL, effect };
}
