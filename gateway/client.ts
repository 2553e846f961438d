import { type Clock, systemClock } from './clock';
import type { Credential } from './credential';
import { modelListFrom } from './dialects';
import { GatewayError } from './errors/gatewayError';
import { Slots } from './limits/scope';
import { ServiceQueue, sharedQueue } from './limits/serviceQueue';
import { sha256 } from './hash';
import { readResource, type ReadResource } from './parseResponse';
import { type AgentRequest, type Completion, type ChatRequest } from './schemas/chat';
import { type CatalogueModel, modelList, type ModelPage, nextPage } from './schemas/models';
import {
	isFinished,
	pathOfTaskId,
	usedOf,
	type VideoRequest,
	type VideoSubmission,
	type VideoTask,
} from './schemas/video';
import { ApiKey, KeyRing } from './redaction';
import { sendRequest } from './sendRequest';
import type { RequestContext, SendOptions, ServiceResponse } from './serviceRequest';
import { readChat } from './stream/readChat';
import { readSubmission, readTaskWithVideo } from './video/inlineVideo';
import { downloadVideo, lacksVideo } from './video/downloads';
import type { StoreVideo } from './video/fetchVideo';
import type { DownloadContext } from './video/openVideo';
import { MAX_LIST_BYTES } from './http/body';
import { knownTask, polledTask } from './video/polledTask';
import { openTransport, whenConnectionIsFree } from './http/transport';
import type { HostHelpers } from './http/hostHelpers';
import type { Transport } from './http/types';

export interface GatewayOptions extends HostHelpers, SendOptions {
	/** How many requests may be in flight at once, with all keys of a run of a node. */
	maxConcurrency: number;
	/** Sends at once while others wait for the rate limit of this key, since a user waits in the editor. */
	skipsQueue?: boolean;
	clock?: Clock;
	transport?: Transport;
}

/**
 * The service, with each endpoint of the interface document as a method. Cheap to create, since connections and rate limiters
 * are shared in the process. A method rejects with GatewayErrors alone, and at once with a CancelledError when its
 * signal is aborted.
 */
export class Gateway {
	/** The cleaned URL of the credential. */
	readonly baseUrl: string;
	private readonly context: RequestContext;
	private readonly videoPath: string;
	private readonly downloads: DownloadContext;

	/** @param run what the gateways of one run of a node share */
	constructor(
		credential: Credential,
		private readonly options: GatewayOptions,
		private readonly run = runOf(options),
	) {
		const { baseUrl, apiKey, ignoreSslIssues } = credential;
		const { origin, pathname } = new URL(baseUrl);
		const clock = options.clock ?? systemClock;
		const prefix = pathname === '/' ? '' : pathname;
		this.baseUrl = baseUrl;
		this.videoPath = `${credential.videoBasePath}/video/generations`;
		this.context = {
			...options,
			transport: options.transport ?? openTransport({ ...options, origin, ignoreSslIssues }),
			origin,
			prefix,
			apiKey: new ApiKey(apiKey, run.keys),
			queue: options.skipsQueue
				? new ServiceQueue(clock, whenConnectionIsFree)
				: sharedQueue(clock, whenConnectionIsFree),
			slots: run.slots,
			account: sha256(`${baseUrl}\n${apiKey}`),
			clock,
		};
		this.downloads = {
			...this.context,
			slots: run.downloadSlots,
			httpRequest: options.httpRequest,
			ignoreSslIssues,
			poll: async (taskId, signal) => await this.getVideoTask(taskId, signal),
		};
	}

	/** The service of another credential in the same run of a node: they share Max Concurrency, and hide each other's keys. */
	withCredential(credential: Credential): Gateway {
		return new Gateway(credential, this.options, this.run);
	}

	/**
	 * `POST /v1/chat/completions`. Whether it is streamed or not, the result is the same; a response that is a stream anyway is read
	 * as one.
	 * @param onText streams the answer: gets each piece of the first choice's text as it arrives
	 * @throws GatewayError whose `partial_text` is the text of a stream that arrived before the failure
	 */
	async chat(
		request: ChatRequest | AgentRequest,
		signal?: AbortSignal,
		onText?: (text: string) => void,
	): Promise<Completion> {
		let received = '';
		const collect = (text: string) => {
			received += text;
			onText?.(text);
		};
		// The options of a stream are for streams alone: other services refuse them elsewhere. A form has one value for both.
		const streaming = onText ? { stream: true } : { stream_options: undefined };
		const question = {
			method: 'POST',
			path: '/v1/chat/completions',
			body: JSON.stringify({ ...request, ...streaming }),
			accept: onText ? 'text/event-stream' : 'application/json',
			connection: 'recent',
			scope: { endpoint: 'chat', model: request.model },
		} as const;
		const read = (response: ServiceResponse) => readChat(response, collect);
		const answer = sendRequest(this.context, question, read, signal);
		return await answer.catch((error: unknown) => {
			if (error instanceof GatewayError && received !== '')
				error.record.partial_text = this.redactError(received);
			throw error;
		});
	}

	/**
	 * `GET /v1/models`: the models available to this key, each once.
	 * @param onMore is called if the service has more models than these
	 */
	async listModels(signal?: AbortSignal, onMore = () => {}): Promise<CatalogueModel[]> {
		const { origin, prefix } = this.context;
		const first = new URL(`${origin}${prefix}/v1/models`);
		const models = new Map<string, CatalogueModel>();
		const seen = new Set<string>();
		for (let url: URL | undefined = first; url !== undefined; ) {
			seen.add(url.href);
			const request = {
				method: 'GET',
				path: `/v1/models${url.search}`,
				scope: { endpoint: 'models' },
			} as const;
			const read = (response: ServiceResponse) =>
				readResource(response, modelList, modelListFrom, MAX_LIST_BYTES);
			const { shown: page }: ReadResource<ModelPage> = await sendRequest(
				this.context,
				request,
				read,
				signal,
			);
			for (const model of page.models) if (!models.has(model.id)) models.set(model.id, model);
			url = nextPage(url, page.next, seen);
			if (url === undefined && (page.next ?? page.hasMore)) onMore();
		}
		return [...models.values()];
	}

	/**
	 * `POST /media/v1/video/generations`: creates one task for each video. Services close idle connections without notice, and
	 * a submission that is sent at that moment is lost and may be billed. So a submission has its own connection.
	 * @param inline gets each finished video that is in the response itself, by the ID of its task
	 */
	async submitVideo(
		request: VideoRequest,
		signal?: AbortSignal,
		inline = new Map<string, Buffer>(),
	): Promise<VideoSubmission> {
		const submission = {
			method: 'POST',
			path: this.videoPath,
			body: JSON.stringify(request),
			connection: 'own',
			scope: { endpoint: 'video', model: request.model },
		} as const;
		const read = (response: ServiceResponse) => readSubmission(response, inline);
		const { shown, sent } = await sendRequest(this.context, submission, read, signal);
		const data = shown.data.map((task, index) => ({
			...task,
			used: usedOf(task, sent.data[index]),
		}));
		return { ...shown, data };
	}

	/**
	 * `GET /media/v1/video/generations/<task_id>`: the state of a task, without an inline video.
	 * @param onInlineVideo gets the inline video of a finished task. Without it, nothing of one is kept
	 * @param withinMs how long one of many polls may take; a poll without it is the only one
	 */
	async getVideoTask(
		taskId: string,
		signal?: AbortSignal,
		onInlineVideo?: (video: Buffer) => void,
		withinMs?: number,
	): Promise<VideoTask> {
		const poll = {
			method: 'GET',
			path: `${this.videoPath}/${pathOfTaskId(taskId)}`,
			scope: { endpoint: 'polls' },
			withinMs,
		} as const;
		const { origin, prefix, apiKey } = this.context;
		const ids = [taskId, apiKey.redactResponse(taskId)];
		const asked = { ids, url: `${origin}${prefix}${poll.path}` };
		const read = (response: ServiceResponse) =>
			readTaskWithVideo(response, asked, onInlineVideo !== undefined);
		const answer = await sendRequest(this.context, poll, read, signal);
		const task = polledTask(taskId, answer, apiKey);
		if (answer.video && isFinished(task)) onInlineVideo?.(answer.video);
		return task;
	}

	/** A task of which only the ID is known. */
	knownTask(taskId: string): VideoTask {
		return knownTask(taskId, this.context.apiKey);
	}

	/** Removes the key from the words of a response in an error. */
	redactError(text: string): string {
		return this.context.apiKey.redactError(text);
	}

	/** The error about a task that is done, and has no video. */
	lacksVideo(task: VideoTask): GatewayError {
		return lacksVideo(task, this.context.apiKey);
	}

	/** Downloads the video of a completed task, when fewer than Max Concurrency other downloads run. */
	downloadVideo<Stored>(
		task: VideoTask,
		store: StoreVideo<Stored>,
		signal?: AbortSignal,
	): Promise<Stored> {
		return downloadVideo(this.downloads, task, store, signal);
	}
}

function runOf({ maxConcurrency }: GatewayOptions) {
	return {
		slots: new Slots(maxConcurrency),
		downloadSlots: new Slots(maxConcurrency),
		keys: new KeyRing(),
	};
}
