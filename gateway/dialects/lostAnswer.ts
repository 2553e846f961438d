import { wordsIn } from './values';

/** What an error response says. */
interface FailureWords {
	code: string | undefined;
	words: string;
}

/** Codes of gateways that got no answer from the server behind them, or could not read it: one-api, new-api, sub2api. */
const LOST_CODE =
	/^(?:do request failed|(?:read|unmarshal|close) response(?: body)? failed|bad response body|(?:upstream )?(?:http2 )?stream(?: read)? error)$/;
/** The same as HTTP clients say it (Go, LiteLLM, httpx, urllib3). "Timeout" alone may be about anything. */
const LOST_WORDS =
	/\b(?:while awaiting headers|timeout awaiting response headers|while reading body|unexpected EOF|litellm\.Timeout|ReadTimeout|stream closed before first payload|server disconnected without sending a response|peer closed connection without sending complete message body|remote end closed connection without response)\b/i;
/** Go's words for a connection to that server that was never made. */
const NEVER_SENT =
	/\b(?:dial tcp|no such host|connection refused|proxyconnect|x509|tls handshake|tls:)/i;

/** Whether an error says that the answer of a server behind was lost: that server may have done the work. */
export function isAnswerLost({ code = '', words }: FailureWords): boolean {
	const isLost = LOST_CODE.test(wordsIn(code)) || LOST_WORDS.test(words);
	return isLost && !NEVER_SENT.test(words);
}
