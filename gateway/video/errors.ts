import { type NodeCode, statusOf } from '../errors/statuses';
import { formatSeconds, idText, logText, shortText } from '../errors/texts';
import { isSsrfRefusal, textOf } from '../errors/transportErrors';
import { GatewayError, NoResponseError } from '../errors/gatewayError';
import { errorData, isEmpty, MAX_MESSAGE, wordsOf } from '../http/errorBody';
import { isKnownStatus, readStatus, type VideoTask } from '../schemas/video';

/** The service ended a video task with status `failed`. */
export class TaskFailedError extends GatewayError {
	override readonly name = 'TaskFailedError';
	/** Why the content was filtered (`data.reason`). */
	readonly reason: string | undefined;
	constructor({ id, error, sent_as }: VideoTask) {
		const words = isEmpty(error) ? undefined : wordsOf({ error });
		const status = sent_as?.status;
		const message =
			status === undefined
				? `The service could not generate the video of task ${idText(id)}`
				: `The service ended video task ${idText(id)} with the status "${logText(status)}"`;
		super(message, {
			code: shortText(words?.code ?? words?.type ?? ('task_failed' satisfies NodeCode)),
			// What others call expired may be a result that was deleted: it is not submitted again by itself.
			advice:
				status === undefined
					? 'Change the prompt or the settings, or submit the video again.'
					: 'Retry On Fail and Retry poll this task once more, and submit nothing. Run the workflow again to submit another video.',
			serviceMessage: words?.message.slice(0, MAX_MESSAGE),
		});
		this.reason = errorData.parse(words?.data).reason;
	}
}

/** Max Wait is over, and the last poll showed that the task is still running, or got no answer. */
export class WaitTimeoutError extends GatewayError {
	override readonly name = 'WaitTimeoutError';
	/** @param task what the last poll that was answered told */
	constructor(task: VideoTask | undefined, lastFailure?: GatewayError) {
		const { status = 'processing', error } = task ?? {};
		const [message, advice] =
			lastFailure === undefined
				? ['The video was not finished when Max Wait was over', lastStatus(status)]
				: [
						'The service could not be asked when Max Wait was over whether the video is finished',
						`The last poll failed: ${lastFailure.message}. The video may be finished.`,
					];
		super(message, {
			code: 'wait_timeout' satisfies NodeCode,
			advice,
			serviceMessage:
				lastFailure?.serviceMessage ?? (isEmpty(error) ? undefined : wordsOf(error).message),
			technical: lastFailure?.technical,
		});
	}
}

function lastStatus(status: string): string {
	if (isKnownStatus(status)) return 'The task is still running.';
	const isDone = readStatus(status, true) === 'completed';
	const why = isDone ? 'but it had no URL' : 'which this node does not know';
	return `Its last status was "${logText(status)}", ${why}.`;
}

const LATER = 'The video is finished and billed.';

const LOGIN =
	"This host asks for a login of its own. Never send it the service's key unless the host belongs to the service.";

/** The URL of a finished video returned an error. */
export class UrlRefusedError extends NoResponseError {
	/** @param isOfService whether the URL is the service's own, and got the key */
	constructor(
		readonly status: number,
		isOfService = true,
		retryAfterMs?: number,
	) {
		super(`The URL of the video returned status ${status}`, {
			code: 'download_refused',
			advice: status === 401 && !isOfService ? `${LOGIN} ${LATER}` : LATER,
			retryAfterMs,
			transient: statusOf(status).isTransient === true,
			mayHaveBeenAccepted: false,
		});
	}
}

/** The task has no URL that could be downloaded, or something else than a video arrived. */
export function notVideo(message: string, advice = LATER, text?: string): NoResponseError {
	const technical = text && shortText(text);
	return downloadError(message, { code: 'download_refused', advice, technical, transient: false });
}

export function tooManyRedirects(): NoResponseError {
	const message = 'The URL of the video has too many redirects';
	return downloadError(message, { code: 'download_failed', transient: false });
}

export function downloadTimedOut(timeoutMs: number): NoResponseError {
	const time = formatSeconds(timeoutMs);
	return downloadError(`The video download stopped receiving data for ${time}`, {
		code: 'download_failed',
		advice: `Increase Timeout if the server of the video needs longer. ${LATER}`,
	});
}

/** The error of a download that broke off or never began. */
export function downloadLost(error: unknown, redact = (text: string) => text): GatewayError {
	if (error instanceof GatewayError) return error;
	const technical = redact(textOf(error, 'message'));
	if (!isSsrfRefusal(error))
		return downloadError('The video download was interrupted', {
			code: 'download_failed',
			technical,
		});
	return downloadError("n8n's SSRF protection blocks the URL of the video", {
		code: 'download_blocked',
		advice: `Ask the administrator of this n8n instance to allow it. ${LATER}`,
		technical,
		transient: false,
	});
}

function downloadError(
	message: string,
	details: { code: NodeCode; advice?: string; technical?: string | undefined; transient?: boolean },
): NoResponseError {
	return new NoResponseError(message, { advice: LATER, mayHaveBeenAccepted: false, ...details });
}

/** The n8n host cannot store a finished video. A retry fails the same way. */
export class StorageError extends GatewayError {
	override readonly name = 'StorageError';
	/**
	 * @param cause the error of Node.js, or of n8n's storage
	 * @param remedy what to do about it
	 */
	constructor(
		message: string,
		cause: unknown,
		remedy = 'Free disk space on the n8n host, or give n8n write access to this folder.',
	) {
		super(message, {
			code: 'storage_failed' satisfies NodeCode,
			advice: `${remedy} The video is finished and billed.`,
			technical: textOf(cause, 'message'),
			cause,
		});
	}
}

/** Codes of a disk that cannot be written. */
const DISK_FAILURES = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EEXIST|EIO)$/;

/** The error of a sound video that n8n does not store. */
export function storageError(error: unknown): StorageError {
	const path = textOf(error, 'path');
	const limit = /\bN8N_\w*MAX_FILE_SIZE\b/.exec(textOf(error, 'message'))?.[0];
	if (limit !== undefined)
		return new StorageError(
			'The video is larger than this n8n stores',
			error,
			`Increase ${limit}, or set N8N_DEFAULT_BINARY_DATA_MODE to filesystem (in queue mode: s3).`,
		);
	const where = path && ` in ${path}`;
	const remedy = DISK_FAILURES.test(textOf(error, 'code'))
		? undefined
		: 'Check where this n8n stores binary data (N8N_DEFAULT_BINARY_DATA_MODE).';
	return new StorageError(`n8n could not store the video${where}`, error, remedy);
}
