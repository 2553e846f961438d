import type { Clock } from '../clock';
import { CancelledError, GatewayError, NoResponseError } from '../errors/gatewayError';
import { IdleTimeout } from '../http/idleTimeout';
import { type ByteStream, inspectStream } from '../http/inspectStream';
import { backoff } from '../limits/retryPolicy';
import { Semaphore } from './semaphore';
import type { VideoTask } from '../schemas/video';
import {
	downloadLost,
	downloadTimedOut,
	noVideo,
	storageError,
	UrlRefusedError,
} from './downloadErrors';
import { openVideo, type VideoAccess } from './openVideo';
import { videoInspector } from './videoInspector';

/** The URL of a new video may be known to the service before it is known to every server of a CDN. */
const LAGGING = [403, 404];
const MAX_LAG_MS = 30_000;

export interface DownloadSettings extends VideoAccess {
	clock: Clock;
	/** How many downloads run at once. A slow one delays no poll: it takes no slot of a request. */
	maxConcurrency: number;
	maxRetries: number;
	/** The idle timeout. */
	timeoutMs: number;
}

/** A video on its way. */
export interface IncomingVideo {
	stream: ByteStream;
	/** Its size, if it is announced. */
	bytes: number | undefined;
	/** The MIME type of a video, if one is announced. */
	type: string | undefined;
}

/** Puts a video into n8n's storage. Called once for each attempt. What it leaves unread is not downloaded. */
export type StoreVideo<Stored> = (video: IncomingVideo) => Promise<Stored>;

/** Downloads the videos of one run, through n8n's own helper and without the key: it is not the service. */
export class VideoDownloads {
	private readonly slots: Semaphore;

	constructor(private readonly settings: DownloadSettings) {
		this.slots = new Semaphore(settings.maxConcurrency);
	}

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
		const { clock, maxRetries } = this.settings;
		const url = videoUrl(task);
		const seenAt = clock.now();
		for (let attempt = 0; ; attempt += 1) {
			const fetched = await this.fetchInTurn(url, store, signal).then(
				(stored) => ({ stored }),
				(failure: unknown) => ({ failure }),
			);
			if ('stored' in fetched) return fetched.stored;
			const { failure } = fetched;
			const transient = failure instanceof NoResponseError && failure.transient;
			const mayLag = failure instanceof UrlRefusedError && LAGGING.includes(failure.status);
			const isNew = maxRetries > 0 && clock.now() - seenAt < MAX_LAG_MS;
			const isLast = attempt >= maxRetries || !transient;
			if (isLast && !(mayLag && isNew)) throw failure;
			await clock.sleep(backoff(attempt), signal);
		}
	}

	private async fetchInTurn<Stored>(
		url: string,
		store: StoreVideo<Stored>,
		signal: AbortSignal | undefined,
	): Promise<Stored> {
		await this.slots.acquire(signal);
		try {
			return await fetchVideo(this.settings, url, store, signal);
		} finally {
			this.slots.release();
		}
	}
}

function videoUrl({ url }: VideoTask): string {
	if (!url) throw noVideo('The service completed the video but returned no URL for it');
	if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
	throw noVideo('The URL of the video does not begin with http:// or https://');
}

async function fetchVideo<Stored>(
	settings: DownloadSettings,
	url: string,
	store: StoreVideo<Stored>,
	signal: AbortSignal | undefined,
): Promise<Stored> {
	const { clock, timeoutMs } = settings;
	const idleTimeout = new IdleTimeout(clock, timeoutMs, signal);
	const aborting = new AbortController();
	idleTimeout.whenGivenUp(() => aborting.abort());
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError();
		return idleTimeout.expired ? downloadTimedOut(timeoutMs) : downloadLost(error);
	};
	try {
		const { statusCode, headers, body } = await openVideo(settings, url, aborting.signal);
		if (statusCode !== 200) {
			body.destroy();
			throw new UrlRefusedError(statusCode);
		}
		const contentType = String(headers['content-type'] ?? '').toLowerCase();
		const bytes = Number(headers['content-length']) || undefined;
		const inspector = videoInspector(contentType, bytes, () => idleTimeout.progress());
		let isSound = !body.errored;
		// A reader that fails destroys what it reads first, and the source after it.
		const onFailure = () => (isSound &&= stream.destroyed);
		body.once('error', onFailure).once('close', () => body.readableEnded || onFailure());
		const stream = inspectStream(body, inspector, aborting.signal);
		const [type] = /^video\/[\w.+-]{1,100}/.exec(contentType) ?? [];
		const stored = await store({ stream, bytes, type }).catch((error: unknown) => {
			throw isSound && !(error instanceof GatewayError) ? storageError(error) : error;
		});
		if (!stream.readableEnded) aborting.abort();
		return stored;
	} catch (error) {
		throw toGatewayError(error);
	} finally {
		idleTimeout.end();
	}
}
