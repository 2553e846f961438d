import { pipeline, Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { axiosGunzip } from '../host/zlib';
import { Exchange } from './exchange';
import type { Service } from './service';

/** As in axios. */
const MAX_REDIRECTS = 21;
const REDIRECTS = [301, 302, 303, 307, 308];
/** n8n's default, which ends when the headers arrive. */
const DEFAULT_TIMEOUT_MS = 300_000;

export interface HelperResponse {
	statusCode: number;
	headers: Record<string, string>;
	body: Readable;
}

/** n8n's `helpers.httpRequest` for streams, with the service in memory behind it. */
export function memoryHttpRequest(service: Service) {
	return async (options: IHttpRequestOptions): Promise<HelperResponse> => {
		let { url } = options;
		for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
			const response = await send(service, { ...options, url });
			const { location } = response.headers;
			const isFollowed = REDIRECTS.includes(response.statusCode) && !options.disableFollowRedirect;
			if (!isFollowed || location === undefined) return withStatus(response, options);
			response.body.destroy();
			url = new URL(location, url).href;
		}
		throw axiosError('Maximum number of redirects exceeded', 'ERR_FR_TOO_MANY_REDIRECTS');
	};
}

function withStatus(response: HelperResponse, options: IHttpRequestOptions): HelperResponse {
	const { statusCode } = response;
	if (options.ignoreHttpStatusErrors || (statusCode >= 200 && statusCode < 300)) return response;
	const message = `Request failed with status code ${statusCode}`;
	throw Object.assign(axiosError(message, 'ERR_BAD_REQUEST'), { response: { status: statusCode } });
}

async function send(
	service: Service,
	{ method = 'GET', url, headers = {}, body, timeout, abortSignal }: IHttpRequestOptions,
): Promise<HelperResponse> {
	return await new Promise((resolve, reject) => {
		const { origin, pathname, search } = new URL(url);
		const request = {
			method,
			path: pathname + search,
			origin,
			headers: lowerCased(headers),
			text: typeof body === 'string' ? body : '',
		};
		let readable: Readable | undefined;
		const fail = (error: Error) => {
			settle();
			if (readable) readable.destroy(error);
			else reject(error);
		};
		const abort = () => {
			exchange.giveUp();
			fail(Object.assign(axiosError('canceled', 'ERR_CANCELED'), { name: 'CanceledError' }));
		};
		const limitMs = timeout ?? DEFAULT_TIMEOUT_MS;
		const stopTimer =
			limitMs > 0
				? service.after(limitMs, () => {
						// The process may have died meanwhile.
						if (exchange.isOver) return;
						exchange.giveUp();
						fail(axiosError(`timeout of ${limitMs}ms exceeded`, 'ECONNABORTED'));
					})
				: () => {};
		const settle = () => {
			stopTimer();
			abortSignal?.removeEventListener?.('abort', abort);
		};
		if (abortSignal?.aborted) return reject(axiosError('canceled', 'ERR_CANCELED'));
		abortSignal?.addEventListener?.('abort', abort);
		const exchange = new Exchange(service, request, {
			onWritten: () => {},
			onHead: (statusCode, received) => {
				stopTimer();
				// A wrapper: destroying it closes nothing.
				readable = new Readable({ read: () => exchange.resume() });
				resolve({ statusCode, headers: received, body: decoded(readable, received) });
			},
			onBytes: (bytes) => {
				if (readable?.push(bytes) === false) exchange.pause();
			},
			onEnd: () => {
				settle();
				readable?.push(null);
			},
			onFailure: (error) =>
				fail(readable ? axiosError('aborted', 'ECONNRESET') : failedRequest(error)),
		});
		exchange.start();
	});
}

/** axios undoes the coding of a stream, too. */
function decoded(body: Readable, headers: Record<string, string>): Readable {
	if (headers['content-encoding']?.toLowerCase() !== 'gzip') return body;
	return pipeline(body, axiosGunzip(), () => {});
}

function lowerCased(headers: object): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}

function axiosError(message: string, code: string): Error {
	return Object.assign(new Error(message), { name: 'AxiosError', code, isAxiosError: true });
}

/** axios wraps what Node.js reports. */
function failedRequest(cause: Error): Error {
	const code = 'code' in cause ? String(cause.code) : '';
	return Object.assign(axiosError(cause.message, code), { cause });
}
