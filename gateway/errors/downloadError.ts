import { shortText } from '../lineText';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';
import { reasonWords } from '../dialects';
import { formatSeconds } from './duration';
import { MAX_WORDS } from './errorBody';
import { isSsrfRefusal, foreignText } from './foreignError';
import { GatewayError, noResponse, type NoResponseError } from './gatewayError';
import { htmlToText } from './serviceError';
import type { NodeCode } from './nodeCodes';
import { statusOf } from './statuses';

const LATER = 'The video is finished and billed.';

const LOGIN =
	"This host asks for a login of its own. Never send it the service's key unless the host belongs to the service. ";

/** A task is done, and its answer has no video. */
export function withoutVideo(): NoResponseError {
	return notVideo(
		'The service completed the video but returned no URL for it',
		'It may not be ready yet, or a content filter removed it. It is billed.',
	);
}

/**
 * The URL of a finished video returned an error.
 * @param isOfService whether the URL is the service's own, and got the key
 */
export function urlRefused(
	status: number,
	isOfService: boolean,
	words?: string,
	retryAfterMs?: number,
): NoResponseError {
	const message = `The URL of the video returned status ${status}`;
	const advice = (status === 401 && !isOfService ? LOGIN : '') + LATER;
	const speaker = 'The server of the video';
	const transient = statusOf(status).isTransient === true;
	const said = { http_status: status, words, speaker, retryAfterMs, transient };
	return noResponse('download_refused', message, advice, said);
}

/** The words of a server in place of a file: those of an error body, or the text of a page; undefined for other bytes. */
export function wordsOfPage(page: string, redact: (text: string) => string): string | undefined {
	const json = parseResponseJsonOrUndefined(page);
	if (json !== undefined) return redact(reasonWords(json)).slice(0, MAX_WORDS) || undefined;
	const text = redact(
		page.trimStart().startsWith('<') ? htmlToText(page.replace(/<\?[^>]*>/, '')) : page.trim(),
	);
	return /(?!\s)\p{Cc}|\ufffd/u.test(text) ? undefined : text.slice(0, MAX_WORDS) || undefined;
}

/**
 * The task has no URL that could be downloaded, or something else than a video arrived.
 * @param http_status where the next download may bring the video
 */
export function notVideo(
	message: string,
	advice = LATER,
	text?: string,
	http_status?: number,
): NoResponseError {
	const technical = text && shortText(text);
	const transient = http_status !== undefined;
	return noResponse('download_refused', message, advice, { technical, http_status, transient });
}

export function tooManyRedirects(): NoResponseError {
	const message = 'The URL of the video has too many redirects';
	return noResponse('download_failed', message, LATER, { transient: false });
}

/** @param url the target of the redirect, without the key */
export function unsafeRedirect(url: string): NoResponseError {
	return noResponse(
		'download_refused',
		'The URL of the video redirects from https to http, which is not followed',
		`A proxy or another server on the way may have sent this redirect, and the target does not respond with https. If you trust it, download it with an HTTP Request node: ${url} ${LATER}`,
	);
}

export function downloadTimedOut(timeoutMs: number): NoResponseError {
	return noResponse(
		'download_failed',
		`The video download stopped receiving data for ${formatSeconds(timeoutMs)}`,
		`Increase Timeout if the server of the video needs longer. ${LATER}`,
	);
}

/** The error of a download that broke off or never began. */
export function downloadLost(error: unknown, redact: (text: string) => string): GatewayError {
	if (error instanceof GatewayError) return error;
	const technical = redact(foreignText(error, 'message'));
	if (isSsrfRefusal(error))
		return noResponse(
			'download_blocked',
			"n8n's SSRF protection blocks the URL of the video",
			`Ask the administrator of this n8n instance to allow it. ${LATER}`,
			{ technical, transient: false },
		);
	const message = 'The video download was interrupted';
	return noResponse('download_failed', message, LATER, { technical });
}

/**
 * The n8n host cannot store a finished video. A retry fails the same way.
 * @param cause the error of Node.js, or of n8n's storage
 * @param remedy what to do about it
 */
export function notStored(message: string, remedy: string, cause?: unknown): GatewayError {
	const code: NodeCode = 'storage_failed';
	const technical = foreignText(cause, 'message');
	return new GatewayError({ message, advice: `${remedy} ${LATER}`, code, technical, cause });
}

/** Codes of a disk that cannot be written. */
const DISK_FAILURES = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EEXIST|EIO)$/;

/** The error of a sound video that n8n does not store. */
export function storageError(error: unknown): GatewayError {
	const path = foreignText(error, 'path');
	const limit = /\bN8N_\w*MAX_FILE_SIZE\b/.exec(foreignText(error, 'message'))?.[0];
	if (limit !== undefined)
		return notStored(
			'The video is larger than this n8n stores',
			`Increase ${limit}, or set N8N_DEFAULT_BINARY_DATA_MODE to filesystem (in queue mode: s3).`,
			error,
		);
	const where = path && ` in ${path}`;
	const remedy = DISK_FAILURES.test(foreignText(error, 'code'))
		? 'Free disk space on the n8n host, or give n8n write access to this folder.'
		: 'Check where this n8n stores binary data (N8N_DEFAULT_BINARY_DATA_MODE).';
	return notStored(`n8n could not store the video${where}`, remedy, error);
}
