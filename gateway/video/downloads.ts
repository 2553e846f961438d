import { saysNotReady } from '../dialects';
import { notVideo, withoutVideo } from '../errors/downloadError';
import { GatewayError, NoResponseError, SHOWN_CHARACTERS } from '../errors/gatewayError';
import { backoff } from '../limits/verdict';
import { logText } from '../lineText';
import type { ApiKey } from '../redaction';
import { asSent, type TaskPlace, type VideoTask } from '../schemas/video';
import { fetchVideo, type StoreVideo } from './fetchVideo';
import type { DownloadContext } from './openVideo';

/** The URL of a new video may be known to the service before the video is there: 403 and 404 of a CDN, 202, 409 and 425 of others. */
const LAGGING = [202, 403, 404, 409, 425];
const MAX_LAG_MS = 30_000;
/** The URL may also have expired, for which Google's storage says 400: a poll of the task tells a new one. */
const MAY_BE_EXPIRED = [403, 404, 400, 410];
const MAX_NEW_URLS = 2;
/** How long after its first failure a download is tried again. */
const MAX_RETRIES_MS = 300_000;

/**
 * Downloads the video of a completed task, right after the poll that saw it completed, as a stream that never fills the memory.
 * n8n's own helper requests it, without the key: only a URL of the service that asks for it gets it.
 * @throws GatewayError when the task has no video, the download is incomplete, or the video is not stored
 */
export async function downloadVideo<Stored>(
	context: DownloadContext,
	task: VideoTask,
	store: StoreVideo<Stored>,
	signal: AbortSignal | undefined,
): Promise<Stored> {
	return await fetchAgain(context, task, store, signal).catch((failure: unknown) => {
		const isOfAnswer =
			failure instanceof NoResponseError &&
			failure.code === 'download_refused' &&
			statusOfUrl(failure) === 0;
		throw isOfAnswer ? withAnswer(failure, task, context.apiKey) : failure;
	});
}

/** The error about a task that is done, and has no video. */
export function lacksVideo(task: VideoTask, apiKey: ApiKey): GatewayError {
	return withAnswer(withoutVideo(), task, apiKey);
}

/** The error about a task whose answer leads to no video: what the answer is, its owner can judge. */
function withAnswer({ record }: NoResponseError, task: VideoTask, apiKey: ApiKey): GatewayError {
	const shown = apiKey.redactError(JSON.stringify(asSent(task)));
	const words =
		shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS - 1)}…` : shown;
	return new GatewayError({ ...record, words });
}

async function fetchAgain<Stored>(
	context: DownloadContext,
	task: VideoTask,
	store: StoreVideo<Stored>,
	signal: AbortSignal | undefined,
): Promise<Stored> {
	const { clock, maxRetries, queue, slots, account, poll } = context;
	const seenAt = clock.now();
	const used = task.used ?? task;
	let url = videoUrl(used, task);
	let newUrls = 0;
	/** Polls the task if the URL may have expired. Returns whether it has another one now. */
	const renewUrl = async (failure: unknown): Promise<boolean> => {
		const mayBeExpired = MAY_BE_EXPIRED.includes(statusOfUrl(failure));
		if (!mayBeExpired || maxRetries === 0 || newUrls >= MAX_NEW_URLS) return false;
		newUrls += 1;
		const polled = await poll(used.id, signal).catch(() => undefined);
		const before = url;
		const told = (polled?.used ?? polled)?.url ?? '';
		if (isUrl(told)) url = told;
		return url !== before;
	};
	const fetchFile = () => fetchVideo(context, url, store, signal);
	let firstFailedAt: number | undefined;
	let failures = 0;
	for (let attempt = 0; ; attempt += 1) {
		const permit = await queue.acquire(slots, account, { endpoint: 'files' }, signal);
		const fetching = fetchFile().catch(async (failure: unknown) => {
			if (!(await renewUrl(failure))) throw failure;
			// At once: another wait, and the new URL would be expired, too.
			return await fetchFile();
		});
		try {
			return await fetching.finally(() => queue.release(permit));
		} catch (failure) {
			firstFailedAt ??= clock.now();
			const isTransient = failure instanceof NoResponseError && failure.transient;
			const mayLag =
				LAGGING.includes(statusOfUrl(failure)) || saysNotReady(failureInWords(failure));
			const isNew = maxRetries > 0 && clock.now() - seenAt < MAX_LAG_MS;
			const isRetried = (isTransient && ++failures <= maxRetries) || (mayLag && isNew);
			const asked = failure instanceof GatewayError ? failure.retryAfterMs : undefined;
			const pause = asked ?? backoff(attempt);
			const isTooLate = clock.now() + pause - firstFailedAt > MAX_RETRIES_MS;
			if (!isRetried || isTooLate) return await Promise.reject(failure);
			await clock.sleep(pause, signal);
		}
	}
}

/** With which status the URL of a video refused it; 0 if it did not. */
function statusOfUrl(failure: unknown): number {
	return (failure instanceof NoResponseError && failure.record.http_status) || 0;
}

/** What the server of a video says in place of it. */
function failureInWords(failure: unknown): string {
	const { words = '', technical = '' } = failure instanceof GatewayError ? failure.record : {};
	return `${words} ${technical}`;
}

function videoUrl({ url }: TaskPlace, shown: TaskPlace): string {
	if (!url) throw withoutVideo();
	if (isUrl(url)) return url;
	const form = isHttp(url) ? 'is not valid' : 'does not begin with http:// or https://';
	throw notVideo(
		`The URL of the video ${form}: ${logText(shown.url ?? '')}`,
		'The video is finished and billed.',
	);
}

const isHttp = (url: string) => /^https?:\/\//i.test(url);

const isUrl = (url: string) => isHttp(url) && URL.canParse(url);
