import { isAnswerLost } from '../../gateway/dialects';

const LOST = 'the answer of a server behind was lost';
const UNKNOWN = 'nothing is known of a server behind';

test.each<[string, string, string]>([
	[LOST, 'do_request_failed', 'upstream error: do request failed'],
	[LOST, 'do_request_failed', 'Post "https://a.test": net/http: timeout awaiting response headers'],
	[LOST, 'read_response_body_failed', 'unexpected EOF'],
	[LOST, 'unmarshal_response_body_failed', 'invalid character'],
	[LOST, 'bad_response_body', 'bad response body'],
	[LOST, 'upstream_stream_read_error', 'Upstream request failed'],
	[LOST, 'stream_read_error', 'stream_read_error'],
	[LOST, '', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
	[
		LOST,
		'',
		'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
	],
	[
		LOST,
		'500',
		'litellm.APIConnectionError: litellm.Timeout: Connection timed out after 600.0 seconds.',
	],
	[LOST, '', 'ReadTimeout: the upstream did not answer'],
	[LOST, '', 'upstream stream closed before first payload'],
	[LOST, '', 'OllamaException - Server disconnected without sending a response.'],
	[UNKNOWN, 'do_request_failed', 'Post "https://a.test": dial tcp: lookup a.test: no such host'],
	[UNKNOWN, 'do_request_failed', 'dial tcp 1.2.3.4:443: connect: connection refused'],
	[UNKNOWN, 'do_request_failed', 'net/http: TLS handshake timeout'],
	[UNKNOWN, 'convert_request_failed', 'convert request failed'],
	[UNKNOWN, 'bad_response_status_code', 'bad response status code 500'],
	[UNKNOWN, 'timeout', 'The model timed out. Try again.'],
	[UNKNOWN, 'internal_server_error', 'Request timeout'],
	[UNKNOWN, '', 'The body could not be read'],
])('%s: %s, %s', (meaning, code, words) => {
	expect(isAnswerLost({ code, words })).toBe(meaning === LOST);
});
