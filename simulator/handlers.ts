import { ApiError } from './apiError';
import type { ModelType } from './catalogue';
import { complete } from './chat/complete';
import { chatRequest, type Endpoint, videoRequest } from './endpoints';
import { faultSpecsIn, isFaultModel } from './faults/selectFault';
import { jsonResponse, textResponse, type HttpResponse } from './httpResponse';
import type { RequestContext, ServiceState } from './requestContext';
import { checked } from './validation';
import { hasFile, isKnown, reportedState, type Task, taskBody } from './video/tasks';

/** In characters. The interface document has no limit, but a status for one: 413. */
const MAX_PROMPT = 4000;

type Handler = (
	service: ServiceState,
	context: RequestContext,
) => HttpResponse | Promise<HttpResponse>;

function requireModel({ settings }: ServiceState, id: string, type: ModelType): void {
	if (isFaultModel(id)) return;
	if (settings.models.some((record) => record.id === id && record.type === type)) return;
	throw new ApiError(
		404,
		'model_not_found',
		`The model '${id}' does not exist or is not for this endpoint.`,
	);
}

function chat(service: ServiceState, context: RequestContext) {
	const request = checked(chatRequest, context.body);
	requireModel(service, request.model, 'text');
	service.completions += 1;
	context.accepted = true;
	const { response, tokens } = complete(request, context.at, service.settings);
	context.tokens = tokens;
	return response;
}

function submit(service: ServiceState, context: RequestContext) {
	const request = checked(videoRequest, context.body);
	requireModel(service, request.model, 'video');
	if (request.prompt.length > MAX_PROMPT) {
		const message = `prompt must be at most ${MAX_PROMPT} characters long.`;
		throw new ApiError(413, 'payload_too_large', message);
	}
	const faults = faultSpecsIn(context.body).filter(({ endpoint }) => endpoint !== undefined);
	const tasks = service.tasks.create(request, faults, context.outcome);
	context.accepted = true;
	context.tasks = tasks;
	const isNamed = (index: number) => index < tasks.length - 1 || !tasks[index]?.plan.missingEntryId;
	return withLongIntegers(tasks[0], {
		id: tasks[0]?.submissionId,
		object: 'video.generation',
		created: Math.floor(context.at / 1000),
		model: request.model,
		data: tasks.map(({ id, revisedPrompt }, index) => ({
			...(isNamed(index) && { id }),
			status: 'processing',
			url: null,
			revised_prompt: revisedPrompt,
		})),
	});
}

async function poll(service: ServiceState, context: RequestContext) {
	const { task, at, authorization, origin } = context;
	const { lagSeconds, pathPrefix, fileOrigin = origin } = service.settings;
	if (!task || !isKnown(task, at, lagSeconds)) {
		throw new ApiError(404, 'task_not_found', 'The task id is unknown, expired or malformed.');
	}
	const files = `${fileOrigin}${pathPrefix}`;
	context.reported = reportedState(task, at).status;
	const body = await taskBody(task, at, files, authorization, service.readVideo);
	const response = withLongIntegers(task, body);
	const { inlineSeconds } = task.plan;
	const isSlow = inlineSeconds !== undefined && 'b64_json' in body;
	return isSlow ? { ...response, dripMs: inlineSeconds * 1000 } : response;
}

/** JSON in which the ids of a task are numbers, if its plan says so. */
function withLongIntegers(task: Task | undefined, value: unknown): HttpResponse {
	if (!task?.plan.numericId) return jsonResponse(value);
	const text = JSON.stringify(value).replace(/"id":"(\d+)"/g, '"id":$1');
	return textResponse(200, 'application/json; charset=utf-8', text);
}

async function download(service: ServiceState, { task, at, path }: RequestContext) {
	if (!task || !hasFile(task, at)) {
		throw new ApiError(404, 'not_found', 'There is no such file.');
	}
	const expiry = /\?expires=(\d+)/.exec(path)?.[1];
	if (at > Number(expiry ?? Infinity)) throw new ApiError(403, 'expired', 'The URL has expired.');
	const body = await service.readVideo(task);
	return { status: 200, headers: { 'content-type': 'video/mp4' }, body };
}

function refuse(_service: ServiceState, { method, path }: RequestContext): never {
	throw new ApiError(404, 'not_found', `There is no ${method} ${path.replace(/\?.*/, '')}.`);
}

/** What the service does at each endpoint of the interface document, and with the files of finished videos. */
export const HANDLERS: Record<Endpoint, Handler> = {
	chat,
	chatStream: chat,
	models: ({ settings }) => jsonResponse({ object: 'list', data: settings.models }),
	submit,
	poll,
	download,
	other: refuse,
};
