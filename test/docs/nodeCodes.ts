import type { NodeCode } from '../../gateway';

type Texts = [when: string, whatToDo: string];

/** No connection took the request. */
export const NEVER_SENT = {
	address_blocked: [
		"n8n's SSRF protection blocks the URL of the service.",
		'Have the host allowed, or correct the Base URL.',
	],
	connect_timeout: [
		'No connection in time.',
		'Check the Base URL, network, firewall, proxy and DNS of the n8n host.',
	],
	no_connection: [
		'The connection failed, and Node.js gives no known reason.',
		'Check the Base URL, network, firewall and proxy of the n8n host.',
	],
	proxy_login: [
		'The proxy requires a valid user name and password.',
		'Correct the proxy variables of the n8n host.',
	],
	proxy_refused: [
		'The proxy refused, or could not reach the service.',
		'Ask the administrator of the proxy.',
	],
	proxy_unreachable: [
		'The proxy does not respond.',
		'Check the proxy variables, and that the proxy is running.',
	],
} satisfies Partial<Record<NodeCode, Texts>>;

/** What docs/errors.md says of the node's own codes. The compiler asks for each. */
export const NODE_CODES: Record<NodeCode, Texts> = {
	...NEVER_SENT,
	invalid_input: [
		'A parameter is invalid, or an expression has no value. Nothing was sent.',
		'Correct the field that `parameter` names.',
	],
	spending_limit: [
		'Max Billable Requests does not allow the request. Nothing was sent.',
		'Increase the limit if you want to pay for more.',
	],
	cancelled: [
		'The execution was stopped.',
		'[Get the submitted videos](spending.md#after-a-stop-or-a-crash).',
	],
	node_error: [
		'n8n or the node itself failed, for example in an expression.',
		'Check the parameters and the credential. Report a fault of the node.',
	],
	connection_lost: [
		'The connection broke before the response was complete.',
		'Check `may_have_been_accepted` and your account before you run it again.',
	],
	timeout: [
		'No data for longer than Timeout.',
		'Increase Timeout. Check `may_have_been_accepted` before you run it again.',
	],
	not_http: [
		'The server did not return a valid HTTP response.',
		'Check the Base URL and its port.',
	],
	damaged_answer: [
		'The compressed response is damaged.',
		'A proxy between n8n and the service may be damaging responses.',
	],
	malformed_answer: [
		'The response has a success status, but not the format of the service, or it is too large.',
		'Check the Base URL: a proxy, a login page or another server may be responding.',
	],
	stream_broken: [
		'The stream ended before the answer was complete.',
		'`partial_text` has what arrived. It may be billed.',
	],
	submission_lost: [
		'The response to this submission was lost in an earlier try. Nothing was sent again.',
		'Check your account. The error says how to submit it again.',
	],
	task_failed: [
		'The service could not generate the video and gave no code.',
		'Change the prompt or the settings, or submit the video again.',
	],
	wait_timeout: [
		'The video was not finished within Max Wait, or the service could not be asked.',
		'[Wait again without paying](spending.md#the-video-took-longer-than-max-wait).',
	],
	download_blocked: [
		"n8n's SSRF protection blocks the URL of the video.",
		'Have the host of the videos allowed, then [get the video](spending.md#the-video-was-not-downloaded).',
	],
	download_failed: [
		'The download was interrupted. The video is finished and billed.',
		'[Get the video](spending.md#the-video-was-not-downloaded).',
	],
	download_refused: [
		'The task has no URL that can be downloaded, or its URL returned an error or something else than a video.',
		'[Get the video](spending.md#the-video-was-not-downloaded).',
	],
	storage_failed: [
		'n8n could not store the video. The video is finished and billed.',
		'Free disk space or change the limit that the error names, then [get the video](spending.md#the-video-was-not-downloaded).',
	],
};
