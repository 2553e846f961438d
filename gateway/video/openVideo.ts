import { type HelperResponse, type RequestHelper, requestThroughN8n } from '../http/hostHelpers';
import { USER_AGENT } from '../http/types';
import { tooManyRedirects, unsafeRedirect } from '../errors/downloadError';
import type { Slots } from '../limits/scope';
import type { VideoTask } from '../schemas/video';
import type { RequestContext } from '../serviceRequest';

/** As many as a storage and its CDN need, and some more. A request with the key counts as one. */
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** How to get to the videos of one service with one key. */
export interface DownloadContext extends RequestContext {
	/** As many downloads as requests, but none takes the slot of a request: a slow one delays no poll. */
	slots: Slots;
	httpRequest: RequestHelper | undefined;
	/** Only at the service's own URL. */
	ignoreSslIssues: boolean;
	/** Polls a task once more. */
	poll: (taskId: string, signal: AbortSignal | undefined) => Promise<VideoTask>;
}

/** Whether a URL is below the Base URL: only such a one gets the key, if it asks for it. */
export function isOfService({ origin, prefix }: DownloadContext, url: string): boolean {
	return new URL(url).href.startsWith(`${origin}${prefix}/`);
}

/**
 * Requests the URL of a video through n8n's own helper and without the key; a URL of the service that answers 401 gets it
 * once, and no target of a redirect. Redirects are followed here, one request for
 * each: SSL issues are ignored at the service's own origin, and the helper would ignore them at every hop or at none. What a proxy
 * answers to CONNECT looks like the server's answer to the helper, so no redirect leads from https to http: the target is asked
 * with https.
 * @throws NoResponseError after too many redirects, or where a target has no https; what the helper throws
 */
export async function openVideo(
	context: DownloadContext,
	url: string,
	abortSignal: AbortSignal,
): Promise<HelperResponse> {
	let next = url;
	let login: { authorization: string } | undefined;
	/** The target of the last redirect, if it was from https to http. */
	let withoutTls: string | undefined;
	for (let requests = 0; requests <= MAX_REDIRECTS; requests += 1) {
		const hop = new AbortController();
		abortSignal.addEventListener('abort', () => hop.abort(), { once: true });
		const response = await request(context, next, hop.signal, login).catch((error: unknown) => {
			throw withoutTls === undefined || abortSignal.aborted
				? error
				: unsafeRedirect(context.apiKey.redactError(withoutTls));
		});
		const asksForKey = requests === 0 && response.statusCode === 401 && isOfService(context, url);
		login = asksForKey ? { authorization: `Bearer ${context.apiKey.reveal()}` } : undefined;
		const target = asksForKey ? url : redirectTarget(response, next);
		if (target === undefined) return response;
		response.body.on('error', () => {}).destroy();
		// The stream is a wrapper: only its signal closes the connection.
		hop.abort();
		withoutTls = isPlainHttp(target) && !isPlainHttp(next) ? target : undefined;
		next = withoutTls === undefined ? target : overTls(target);
	}
	throw tooManyRedirects();
}

const isPlainHttp = (url: string) => url.startsWith('http:');

function overTls(url: string): string {
	return Object.assign(new URL(url), { protocol: 'https:' }).href;
}

async function request(
	{ httpRequest, ignoreSslIssues, origin }: DownloadContext,
	url: string,
	abortSignal: AbortSignal,
	login?: { authorization: string },
): Promise<HelperResponse> {
	return await requestThroughN8n(httpRequest, {
		method: 'GET',
		url,
		headers: { 'accept-encoding': 'identity', 'user-agent': USER_AGENT, ...login },
		skipSslCertificateValidation: ignoreSslIssues && new URL(url).origin === origin,
		abortSignal,
	});
}

/** Undefined for a response that leads nowhere: its status tells why. */
function redirectTarget({ statusCode, headers }: HelperResponse, from: string): string | undefined {
	const location = String(headers.location ?? '');
	if (!REDIRECTS.has(statusCode) || location === '' || !URL.canParse(location, from))
		return undefined;
	const { protocol, href } = new URL(location, from);
	return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}
