import type { Clock } from '../clock';
import { saysNotReady } from '../dialects';
import { GatewayError, NoResponseError, SHOWN_CHARACTERS } from '../errors/gatewayError';
import { notVideo, withoutVideo } from '../errors/downloadError';
import { Slots } from '../limits/scope';
import { ServiceQueue } from '../limits/serviceQueue';
import { backoff } from '../limits/verdict';
import { logText } from '../lineText';
import { asSent, type TaskPlace, type VideoTask } from '../schemas/video';
import { type FetchSettings, fetchVideo, type StoreVideo } from './fetchVideo';

/** The URL of a new video may be known to the service before the video is there: 403 and 404 of a CDN, 202, 409 and 425 of others. */
const LAGGING = [202, 403, 404, 409, 425];
const MAX_LAG_MS = 30_000;
/** The URL may also have expired, for which Google's storage says 400: a poll of the task tells a new one. */
const MAY_BE_EXPIRED = [403, 404, 400, 410];
const MAX_NEW_URLS = 2;
/** How long after its first failure a download is tried again. */
const MAX_RETRIES_MS = 300_000;

interface DownloadSettings extends FetchSettings {
	queue: DownloadQueue;
	maxRetries: number;
	/** Polls a task once more. */
	poll: (taskId: string, signal: AbortSignal | undefined) => Promise<VideoTask>;
}

/** A file to be downloaded. */
interface File<Stored> {
	taskId: string;
	url: string;
	store: StoreVideo<Stored>;
	/** How often a poll was asked for another URL. */
	newUrls: number;
}

/**
 * The downloads of one run of a node, with all its keys: as many at once as requests may be. A slow one delays no poll, since it
 * takes no slot of a request.
 */
export class DownloadQueue {
	private readonly queue: ServiceQueue;
	private readonly slots: Slots;

	constructor(clock: Clock, maxConcurrency: number) {
		this.queue = new ServiceQueue(clock);
		this.slots = new Slots(maxConcurrency);
	}

	/** Downloads when it is the download's turn. */
	async inTurn<Stored>(
		download: () => Promise<Stored>,
		signal: AbortSignal | undefined,
	): Promise<Stored> {
		const { queue, slots } = this;
		const permit = await queue.acquire(slots, '', { endpoint: 'files' }, signal);
		try {
			return await download();
		} finally {
			queue.release(permit);
		}
	}
}

/** Downloads the videos of one key, through n8n's own helper and without the key: only a URL of the service that asks for it gets it. */
export class VideoDownloads {
	constructor(private readonly settings: DownloadSettings) {}

	/**
	 * Downloads the video of a completed task, right after the poll that saw it completed, as a stream that never fills
	 * the memory.
	 * @throws GatewayError when the task has no video, the download is incomplete, or the video is not stored
	 */
	async download<Stored>(
		task: VideoTask,
		store: StoreVideo<Stored>,
		signal: AbortSignal | undefined,
	): Promise<Stored> {
		return await this.fetchAgain(task, store, signal).catch((failure: unknown) => {
			const isOfFile = statusOfUrl(failure) > 0;
			const isOwn = failure instanceof NoResponseError && failure.code === 'download_refused';
			throw isOwn && !isOfFile ? this.withAnswer(failure, task) : failure;
		});
	}

	/** The error about a task that is done, and has no video. */
	lacksVideo(task: VideoTask): GatewayError {
		return this.withAnswer(withoutVideo(), task);
	}

	/** The error about a task whose answer leads to no video: what the answer is, its owner can judge. */
	private withAnswer(failure: NoResponseError, task: VideoTask): GatewayError {
		const shown = this.settings.redact(JSON.stringify(asSent(task)));
		const words =
			shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS - 1)}…` : shown;
		return new GatewayError({ ...failure.record, words });
	}

	private async fetchAgain<Stored>(
		task: VideoTask,
		store: StoreVideo<Stored>,
		signal: AbortSignal | undefined,
	): Promise<Stored> {
		const { clock, maxRetries, queue } = this.settings;
		const seenAt = clock.now();
		const used = task.used ?? task;
		const file = { taskId: used.id, url: videoUrl(used, task), store, newUrls: 0 };
		let firstFailedAt: number | undefined;
		let failures = 0;
		for (let attempt = 0; ; attempt += 1) {
			try {
				return await queue.inTurn(() => this.fetch(file, signal), signal);
			} catch (failure) {
				const transient = failure instanceof NoResponseError && failure.transient;
				const mayLag =
					LAGGING.includes(statusOfUrl(failure)) || saysNotReady(failureInWords(failure));
				const isNew = maxRetries > 0 && clock.now() - seenAt < MAX_LAG_MS;
				const isLast = !transient || ++failures > maxRetries;
				firstFailedAt ??= clock.now();
				const asked = failure instanceof GatewayError ? failure.retryAfterMs : undefined;
				const pause = asked ?? backoff(attempt);
				const isTooLate = clock.now() + pause - firstFailedAt > MAX_RETRIES_MS;
				if ((isLast && !(mayLag && isNew)) || isTooLate) return await Promise.reject(failure);
				await clock.sleep(pause, signal);
			}
		}
	}

	private async fetch<Stored>(
		file: File<Stored>,
		signal: AbortSignal | undefined,
	): Promise<Stored> {
		const attempt = () => fetchVideo(this.settings, file.url, file.store, signal);
		return await attempt().catch(async (failure: unknown) => {
			const url = await this.newUrl(file, failure, signal);
			if (url === undefined) throw failure;
			file.url = url;
			// At once: another wait, and the new URL would be expired, too.
			return await attempt();
		});
	}

	/** Polls the task of a file whose URL may have expired. Returns the URL that it has now, if that is another one. */
	private async newUrl(
		file: File<unknown>,
		failure: unknown,
		signal: AbortSignal | undefined,
	): Promise<string | undefined> {
		const { poll, maxRetries } = this.settings;
		const mayBeExpired = MAY_BE_EXPIRED.includes(statusOfUrl(failure));
		if (!mayBeExpired || maxRetries === 0 || file.newUrls >= MAX_NEW_URLS) return undefined;
		file.newUrls += 1;
		const task = await poll(file.taskId, signal).catch(() => undefined);
		const url = (task?.used ?? task)?.url ?? '';
		return isUrl(url) && url !== file.url ? url : undefined;
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
