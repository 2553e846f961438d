import { idText, logText, shortText } from '../lineText';
import { isEmpty, parseResponseJsonOrUndefined } from '../schemas/responseJson';
import { reasonWords } from '../dialects';
import { mayBeFailed, statusMeaning, type VideoTask } from '../schemas/video';
import { formatSeconds } from './duration';
import { MAX_WORDS, wordsOf } from './errorBody';
import { isSsrfRefusal, foreignText } from './foreignError';
import {
	GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
	withRecord,
} from './gatewayError';
import { htmlToText } from './serviceError';
import type { NodeCode } from './nodeCodes';
import { statusOf } from './statuses';

/** The service ended a video task with status `failed`. */
export function taskFailed({ id, error, failure, said_status }: VideoTask): GatewayError {
	const words = isEmpty(error) ? undefined : wordsOf(error);
	const status = said_status?.word;
	return new GatewayError({
		message:
			status === undefined
				? `The service could not generate the video of task ${idText(id)}`
				: `The service ended video task ${idText(id)} with the status "${logText(status)}"`,
		// What others call expired may be a result that was deleted: it is not submitted again by itself.
		advice:
			status === undefined
				? 'Change the prompt or the settings, or submit the video again.'
				: 'Retry On Fail and Retry poll this task once more, and submit nothing. Run the workflow again to submit another video.',
		code: shortText(
			words?.code ?? words?.type ?? failure?.code ?? ('task_failed' satisfies NodeCode),
		),
		words: failure?.words || words?.message.slice(0, MAX_WORDS),
		reason: failure?.reason ?? words?.reason,
		isApiError: true,
	});
}

/**
 * Max Wait is over, and the last poll showed that the task is still running, or got no answer.
 * @param task what the last poll that was answered told
 */
export function waitTimeout(task: VideoTask | undefined, lastFailure?: GatewayError): GatewayError {
	const { error } = task ?? {};
	const code: NodeCode = 'wait_timeout';
	if (lastFailure === undefined)
		return new GatewayError({
			message: 'The video was not finished when Max Wait was over',
			advice: lastStatus(task),
			code,
			words: isEmpty(error) ? undefined : wordsOf(error).message,
		});
	const { message, words, technical } = lastFailure.record;
	return new GatewayError({
		message: lastFailure.isAnswer
			? 'The last answer about the video was not understood when Max Wait was over'
			: 'The service could not be asked when Max Wait was over whether the video is finished',
		advice: `The last poll failed: ${message}. ${MAY_BE_FINISHED}`,
		code,
		words: words ?? (isEmpty(error) ? undefined : wordsOf(error).message),
		technical,
	});
}

function lastStatus(task: VideoTask = { id: '', status: 'processing' }): string {
	const meaning = statusMeaning(task);
	const { status } = task;
	if (meaning !== undefined && meaning !== 'completed' && !mayBeFailed(task))
		return 'The task is still running.';
	const why = meaning === 'completed' ? 'but it had no URL' : 'which this node does not know';
	return `Its last status was "${logText(status)}", ${why}.`;
}

const MAY_BE_FINISHED = 'The video may be finished.';

/**
 * JSON in which no task is found. The video may be finished, and the answer may show where it is.
 * @param error why it was not read, or what it says instead
 * @param isAbout whether the answer has the ID that was asked for, so that the service itself sent it; undefined if it has too much
 * to be read
 */
export function unreadableTask(error: GatewayError, isAbout: boolean | undefined): GatewayError {
	const { record } = error;
	const code: NodeCode = 'malformed_answer';
	const why = isAbout
		? 'It has the ID of the task, and no status that this node finds.'
		: record.advice;
	const advice = `${why} ${MAY_BE_FINISHED}`;
	if (error instanceof ServiceError) return withRecord(error, { advice });
	const isRead = isAbout !== undefined;
	const message = isRead ? 'The answer about the video task was not understood' : record.message;
	return new GatewayError({ ...record, message, advice, code }, { isAnswer: true });
}

/** What is known of a task that is waited for. */
interface KnownTask {
	submitted?: VideoTask | undefined;
	submittedAt?: unknown;
}

/**
 * The failure that ends the wait for a task. Of one that was submitted here, or that a poll has shown, the Base URL is right, and the
 * video may be paid for.
 */
export function aboutKnown(
	failure: GatewayError,
	{ submitted, submittedAt }: KnownTask,
): GatewayError {
	const isOurs = submittedAt !== undefined;
	if (!isOurs && submitted === undefined) return failure;
	const accepted = isOurs && isNotFound(failure) && { may_have_been_accepted: true };
	if (saysWhatToDo(failure)) return accepted ? withRecord(failure, accepted) : failure;
	const before = submitted
		? 'The service knew this task before.'
		: 'The service gave this ID for the submission.';
	const record = { ...failure.record, ...accepted, advice: `${before} ${MAY_BE_FINISHED}` };
	// The status of a poll is not that of a request with parameters.
	if (failure instanceof ServiceError && !failure.hasInterfaceCode)
		record.message = 'The service has said nothing else of the video task for a minute';
	return withRecord(failure, record);
}

/** Whether an error has a code of the document, or is about the connection, and its advice is about what to do there. */
function saysWhatToDo(failure: GatewayError): boolean {
	if (!(failure instanceof ServiceError)) return !failure.isAnswer;
	return failure.hasInterfaceCode && failure.code !== 'task_not_found';
}

/** A task is done, and its answer has no video. */
export function withoutVideo(): NoResponseError {
	return notVideo(
		'The service completed the video but returned no URL for it',
		'It may not be ready yet, or a content filter removed it. It is billed.',
	);
}

const LATER = 'The video is finished and billed.';

const LOGIN =
	"This host asks for a login of its own. Never send it the service's key unless the host belongs to the service.";

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
	return new NoResponseError(
		{
			message: `The URL of the video returned status ${status}`,
			advice: status === 401 && !isOfService ? `${LOGIN} ${LATER}` : LATER,
			code: 'download_refused',
			http_status: status,
			words,
			speaker: 'The server of the video',
		},
		{ retryAfterMs, transient: statusOf(status).isTransient === true },
	);
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

/** The task has no URL that could be downloaded, or something else than a video arrived. */
export function notVideo(message: string, advice = LATER, text?: string): NoResponseError {
	const technical = text && shortText(text);
	const record = { message, advice, code: 'download_refused', technical } as const;
	return new NoResponseError(record, { transient: false });
}

export function tooManyRedirects(): NoResponseError {
	const message = 'The URL of the video has too many redirects';
	return new NoResponseError(
		{ message, advice: LATER, code: 'download_failed' },
		{ transient: false },
	);
}

/** @param url the target of the redirect, without the key */
export function unsafeRedirect(url: string): NoResponseError {
	return new NoResponseError({
		message: 'The URL of the video redirects from https to http, which is not followed',
		advice: `A proxy or another server on the way may have sent this redirect, and the target does not respond with https. If you trust it, download it with an HTTP Request node: ${url} ${LATER}`,
		code: 'download_refused',
	});
}

export function downloadTimedOut(timeoutMs: number): NoResponseError {
	const time = formatSeconds(timeoutMs);
	return new NoResponseError({
		message: `The video download stopped receiving data for ${time}`,
		advice: `Increase Timeout if the server of the video needs longer. ${LATER}`,
		code: 'download_failed',
	});
}

/** The error of a download that broke off or never began. */
export function downloadLost(error: unknown, redact: (text: string) => string): GatewayError {
	if (error instanceof GatewayError) return error;
	const technical = redact(foreignText(error, 'message'));
	if (!isSsrfRefusal(error))
		return new NoResponseError({
			message: 'The video download was interrupted',
			advice: LATER,
			code: 'download_failed',
			technical,
		});
	return new NoResponseError(
		{
			message: "n8n's SSRF protection blocks the URL of the video",
			advice: `Ask the administrator of this n8n instance to allow it. ${LATER}`,
			code: 'download_blocked',
			technical,
		},
		{ transient: false },
	);
}

/**
 * The n8n host cannot store a finished video. A retry fails the same way.
 * @param cause the error of Node.js, or of n8n's storage
 * @param remedy what to do about it
 */
export function notStored(message: string, remedy: string, cause?: unknown): GatewayError {
	const code: NodeCode = 'storage_failed';
	const technical = foreignText(cause, 'message');
	return new GatewayError({ message, advice: `${remedy} ${LATER}`, code, technical }, { cause });
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
