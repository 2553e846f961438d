import type { IBinaryData } from 'n8n-workflow';
import {
	backoff,
	type ByteStream,
	CancelledError,
	formatSeconds,
	GatewayError,
	IdleTimeout,
	type InlineVideo,
	inspectStream,
	InvalidInputError,
	isSsrfRefusal,
	MAX_VIDEO_BYTES,
	NoResponseError,
	PostponedDownload,
	StorageError,
	type StreamInspector,
	systemClock,
	UrlRefusedError,
	type VideoTask,
} from '../../gateway';
import type { Service } from '../shared/run/connect';
import type { VideoFile } from './fileName';
import { ChunkBuffer } from './chunkBuffer';
import { openVideo } from './openVideo';
import type { ItemPlace } from './wait/stateRoom';

const LATER = 'The video is finished and billed: use Get with this task ID to download it later.';

/** The URL of a new video may be known to the service before it is known to every server of a CDN. */
const LAGGING = [403, 404];
const MAX_LAG_MS = 30_000;

/** Enough to tell a video from a page, whatever the content type. */
const SNIFFED_BYTES = 512;

/**
 * Puts the video of a completed task into n8n's binary storage, as a stream that never fills the memory.
 * A URL is fetched through n8n's own helper and without the key: it is not the service, and n8n's SSRF
 * protection checks it. It begins right after the poll that saw the video completed.
 * @param place where the item of the video is kept for now, if not in n8n's output
 * @throws GatewayError when the task has no video, or the download is incomplete
 * @throws PostponedDownload when there is no place for the video
 */
export async function downloadVideo(
	service: Service,
	task: VideoTask,
	file: VideoFile,
	inline: InlineVideo | undefined,
	place?: ItemPlace,
): Promise<IBinaryData> {
	if (place?.mayHoldFile() === false) throw new PostponedDownload();
	if (inline !== undefined) {
		return await store(service, inline.read(), file).catch((error: unknown) => {
			throw storageError(error);
		});
	}
	const url = videoUrl(task);
	const seenAt = systemClock.now();
	for (let attempt = 0; ; attempt += 1) {
		const fetched = await service.gateway
			.download(async () => await fetchVideo(service, url, file, place), service.signal)
			.then(
				(binary) => ({ binary }),
				(failure: unknown) => ({ failure }),
			);
		if ('binary' in fetched) return fetched.binary;
		const { failure } = fetched;
		const transient = failure instanceof NoResponseError && failure.transient;
		const mayLag = failure instanceof UrlRefusedError && LAGGING.includes(failure.status);
		const isNew = service.maxRetries > 0 && systemClock.now() - seenAt < MAX_LAG_MS;
		const isLast = attempt >= service.maxRetries || !transient;
		if (isLast && !(mayLag && isNew)) throw failure;
		await systemClock.sleep(backoff(attempt), service.signal);
	}
}

function videoUrl(task: VideoTask): string {
	const { url } = task;
	if (!url) throw noVideo('The service completed the video but returned no URL for it');
	if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
	throw noVideo('The URL of the video does not begin with http:// or https://');
}

async function fetchVideo(
	service: Service,
	url: string,
	file: VideoFile,
	place: ItemPlace | undefined,
) {
	const { signal, timeoutMs } = service;
	const idleTimeout = new IdleTimeout(systemClock, timeoutMs, signal);
	const aborting = new AbortController();
	idleTimeout.whenGivenUp(() => aborting.abort());
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError();
		return idleTimeout.expired ? timedOut(timeoutMs) : downloadLost(error);
	};
	try {
		const { statusCode, headers, body } = await openVideo(service, url, aborting.signal);
		if (statusCode !== 200) {
			body.destroy();
			throw new UrlRefusedError(statusCode, LATER);
		}
		const bytes = Number(headers['content-length']) || undefined;
		if (
			(await place?.admitsFile(bytes, async () => await storesInMemory(service, file))) === false
		) {
			aborting.abort();
			throw new PostponedDownload();
		}
		const inspector = videoInspector(headers, () => idleTimeout.progress());
		let isSound = !body.errored;
		// A reader that fails destroys what it reads first, and the source after it.
		const onFailure = () => (isSound &&= whole.destroyed);
		body.once('error', onFailure).once('close', () => body.readableEnded || onFailure());
		const whole = inspectStream(body, inspector, aborting.signal);
		const announced = headers['content-type']?.toLowerCase() ?? '';
		const [type = file.type] = /^video\/[\w.+-]{1,100}/.exec(announced) ?? [];
		return await store(service, whole, { ...file, type }).catch((error: unknown) => {
			throw isSound && !(error instanceof GatewayError) ? storageError(error) : error;
		});
	} catch (error) {
		throw toGatewayError(error);
	} finally {
		idleTimeout.end();
	}
}

/** Codes of a disk that cannot be written. */
const DISK_FAILURES = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EPERM|ENOENT|ENOTDIR|EEXIST|EIO)$/;

/** Puts a video into n8n's binary storage. */
async function store(service: Service, video: Buffer | ByteStream, file: VideoFile) {
	const { prepareBinaryData } = service.context.helpers;
	return await prepareBinaryData(video, file.name, file.type);
}

/** Whether n8n keeps files in memory: they have no id then. Nothing else tells before a large one is stored. */
async function storesInMemory(service: Service, file: VideoFile): Promise<boolean> {
	const { id } = await store(service, Buffer.alloc(1), file);
	return id === undefined;
}

/** The error of a sound video that n8n does not store. It is recognised by its fields: it may come from another realm. */
function storageError(error: unknown): StorageError {
	const { code, path, message } = (error ?? {}) as Record<string, unknown>;
	const limit = /\bN8N_\w*MAX_FILE_SIZE\b/.exec(String(message))?.[0];
	if (limit !== undefined)
		return new StorageError(
			'The video is larger than this n8n stores',
			error,
			`Increase ${limit}, or set N8N_DEFAULT_BINARY_DATA_MODE to filesystem (in queue mode: s3).`,
		);
	const where = path === undefined ? '' : ` in ${String(path)}`;
	const remedy = DISK_FAILURES.test(String(code))
		? undefined
		: 'Check where this n8n stores binary data (N8N_DEFAULT_BINARY_DATA_MODE).';
	return new StorageError(`n8n could not store the video${where}`, error, remedy);
}

/**
 * Rejects a page instead of a video, a video that is too large and an empty one. n8n's helper rejects one that is
 * shorter than announced; the announced length may be that of a body which the helper has decompressed since.
 */
function videoInspector(
	headers: Record<string, string | undefined>,
	onProgress: () => void,
): StreamInspector {
	const mayBePage = /^text\/|json|xml/i.test(headers['content-type'] ?? '');
	const announced = Number(headers['content-length'] ?? 0);
	let received = 0;
	const gathered = new ChunkBuffer();
	return {
		part(bytes) {
			if (received === 0 && mayBePage && isText(bytes))
				throw notVideo('The URL of the video returned a page instead of a video');
			received += bytes.length;
			if (Math.max(announced, received) > MAX_VIDEO_BYTES)
				throw notVideo('The video is larger than 4 GiB');
			onProgress();
			return gathered.add(bytes);
		},
		end() {
			if (received === 0) throw downloadLost(new Error('No data arrived'));
			return gathered.take();
		},
	};
}

/** Every video container has bytes near its start that no text has. */
function isText(chunk: Buffer): boolean {
	return !chunk.subarray(0, SNIFFED_BYTES).some((byte) => byte < 0x09);
}

function notVideo(message: string) {
	return new NoResponseError(message, {
		code: 'download_refused',
		advice: LATER,
		transient: false,
		mayHaveBeenAccepted: false,
	});
}

function noVideo(message: string) {
	return new InvalidInputError('url', message, LATER);
}

function timedOut(timeoutMs: number) {
	return new NoResponseError(
		`The video download stopped receiving data for ${formatSeconds(timeoutMs)}`,
		{
			code: 'download_failed',
			advice: `Increase Timeout if the server of the video needs longer. ${LATER}`,
			mayHaveBeenAccepted: false,
		},
	);
}

function downloadLost(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const isBlocked = isSsrfRefusal(error);
	return new NoResponseError(
		isBlocked
			? "n8n's SSRF protection blocks the URL of the video"
			: 'The video download was interrupted',
		{
			code: isBlocked ? 'download_blocked' : 'download_failed',
			advice: isBlocked
				? `Ask the administrator of this n8n instance to allow it. ${LATER}`
				: LATER,
			technical: error instanceof Error ? error.message : undefined,
			transient: !isBlocked,
			mayHaveBeenAccepted: false,
		},
	);
}
