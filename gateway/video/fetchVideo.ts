import type { Readable } from 'node:stream';
import type { Clock } from '../clock';
import { CancelledError, type GatewayError } from '../errors/gatewayError';
import { askedPause } from '../errors/namedWait';
import {
	downloadLost,
	downloadTimedOut,
	storageError,
	urlRefused,
	wordsOfPage,
} from '../errors/downloadError';
import { ByteBuffer, StreamedBody } from '../http/body';
import { IdleTimeout, unlessGivenUp } from '../http/idleTimeout';
import { type IncomingVideo, readVideo } from './incomingVideo';
import { type DownloadContext, isOfService, openVideo } from './openVideo';

/** Of what the server of a file says instead of it. */
const MAX_SAID_BYTES = 16 * 1024;
const MAX_SAID_MS = 2_000;

/** Puts a video into n8n's storage. Called once for each attempt. What it leaves unread is not downloaded. */
export type StoreVideo<Stored> = (video: IncomingVideo) => Promise<Stored>;

/** One attempt to download and store a video. */
export async function fetchVideo<Stored>(
	context: DownloadContext,
	url: string,
	store: StoreVideo<Stored>,
	signal: AbortSignal | undefined,
): Promise<Stored> {
	const { clock, timeoutMs, apiKey } = context;
	const redact = (text: string) => apiKey.redactError(text);
	const idleTimeout = new IdleTimeout(clock, timeoutMs, signal);
	const aborting = new AbortController();
	const unlessStopped = <Part>(pending: Promise<Part>) =>
		unlessGivenUp(idleTimeout, pending, () => aborting.abort());
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError();
		return idleTimeout.expired ? downloadTimedOut(timeoutMs) : downloadLost(error, redact);
	};
	try {
		const opening = openVideo(context, url, aborting.signal);
		const { statusCode, headers, body } = await unlessStopped(opening);
		if (statusCode !== 200) {
			const said = await unlessStopped(beginningOf(body, clock));
			const retryAfterMs = askedPause(statusCode, headers, clock.wallTime());
			const words = wordsOfPage(said, redact);
			throw urlRefused(statusCode, isOfService(context, url), words, retryAfterMs);
		}
		body.on('error', () => {});
		// n8n's helper wraps the response in a stream that ignores its signal.
		const close = () => body.destroy(new Error('aborted'));
		aborting.signal.addEventListener('abort', close, { once: true });
		const bytes = Number(headers['content-length']) || 0;
		const reading = readVideo(body, bytes, () => idleTimeout.progress(), redact);
		const video = await unlessStopped(reading);
		const stored = await store(video).catch((error: unknown) => {
			throw video.failure() ?? storageError(error);
		});
		if (!video.stream.readableEnded) aborting.abort();
		return stored;
	} catch (error) {
		const failure = toGatewayError(error);
		// Only the signal closes the connection.
		aborting.abort();
		throw failure;
	} finally {
		idleTimeout.end();
	}
}

/** What a server says in place of a file: a word, an error body or a page. */
async function beginningOf(stream: Readable, clock: Clock): Promise<string> {
	const body = new StreamedBody(stream);
	const stop = clock.after(MAX_SAID_MS, () => body.destroy());
	const start = new ByteBuffer();
	const reading = body.read((bytes) => {
		start.add(bytes);
		return start.length < MAX_SAID_BYTES;
	});
	// What arrived is enough.
	await reading.catch(() => {}).finally(stop);
	return start.bytes.toString('utf8', 0, MAX_SAID_BYTES);
}
