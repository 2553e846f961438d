import { type ByteStream, NoResponseError } from '../../gateway';
import type { Service } from '../shared/run/connect';

/** As many as a storage and its CDN need, and some more. */
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface VideoResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: ByteStream;
}

/**
 * Requests the URL of a video through n8n's own helper and without the key. Redirects are followed here, one request for
 * each: SSL issues are ignored at the service's own origin, and the helper would ignore them at every hop or at none.
 * @throws NoResponseError after too many redirects; what the helper throws
 */
export async function openVideo(
	service: Service,
	url: string,
	abortSignal: AbortSignal,
): Promise<VideoResponse> {
	let next = url;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
		const hop = new AbortController();
		abortSignal.addEventListener('abort', () => hop.abort(), { once: true });
		const response = await request(service, next, hop.signal);
		const target = redirectTarget(response, next);
		if (target === undefined) return response;
		response.body.on('error', () => {}).destroy();
		// The stream is a wrapper: only its signal closes the connection.
		hop.abort();
		next = target;
	}
	throw new NoResponseError('The URL of the video has too many redirects', {
		code: 'download_failed',
		advice: 'The video is finished and billed: use Get with this task ID to download it later.',
		transient: false,
		mayHaveBeenAccepted: false,
	});
}

async function request({ context, gateway }: Service, url: string, abortSignal: AbortSignal) {
	return (await context.helpers.httpRequest({
		url,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal,
		skipSslCertificateValidation: gateway.ignoresSslIssuesAt(url),
		headers: { 'accept-encoding': 'identity' },
	})) as VideoResponse;
}

/** Undefined for a response that leads nowhere: its status tells why. */
function redirectTarget({ statusCode, headers }: VideoResponse, from: string): string | undefined {
	const { location } = headers;
	if (!REDIRECTS.has(statusCode) || !location || !URL.canParse(location, from)) return undefined;
	const { protocol, href } = new URL(location, from);
	return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}
