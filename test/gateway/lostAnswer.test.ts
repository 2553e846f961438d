import { isAnswerLost } from '../../gateway/dialects';

test.each([
	['do_request_failed', 'upstream error: do request failed'],
	['do_request_failed', 'Post "https://a.test": net/http: timeout awaiting response headers'],
	['read_response_body_failed', 'unexpected EOF'],
	['unmarshal_response_body_failed', 'invalid character'],
	['bad_response_body', 'bad response body'],
	['upstream_stream_read_error', 'Upstream request failed'],
	['stream_read_error', 'stream_read_error'],
	['', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
	['', 'context deadline exceeded (Client.Timeout or context cancellation while reading body)'],
	['500', 'litellm.APIConnectionError: litellm.Timeout: Connection timed out after 600.0 seconds.'],
	['', 'ReadTimeout: the upstream did not answer'],
	['', 'upstream stream closed before first payload'],
	['', 'OllamaException - Server disconnected without sending a response.'],
])('the answer of a server behind was lost: %s, %s', (code, words) => {
	expect(isAnswerLost({ code, words })).toBe(true);
});

test.each([
	['do_request_failed', 'Post "https://a.test": dial tcp: lookup a.test: no such host'],
	['do_request_failed', 'dial tcp 1.2.3.4:443: connect: connection refused'],
	['do_request_failed', 'net/http: TLS handshake timeout'],
	['convert_request_failed', 'convert request failed'],
	['bad_response_status_code', 'bad response status code 500'],
	['timeout', 'The model timed out. Try again.'],
	['internal_server_error', 'Request timeout'],
	['', 'The body could not be read'],
])('nothing is known of a server behind: %s, %s', (code, words) => {
	expect(isAnswerLost({ code, words })).toBe(false);
});
