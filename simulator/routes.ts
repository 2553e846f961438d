import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonResponse } from './httpResponse';
import { CATALOGUE, type ModelType } from './catalogue';
import { complete } from './chat/complete';
import type { RequestHandler, RequestContext } from './requestHandler';
import { isFaultModel, faultSpecsIn } from './faults/selectFault';
import { ApiError } from './apiError';
import { chatRequest, checked, videoRequest } from './requests';
import { fileResponse } from './video/fileResponse';
import { mp4File, padded } from './video/mp4';
import { sceneOf } from './video/scene';
import { isKnown, spread, stateOf, taskBody } from './video/tasks';

const VIDEO_PREFIXES = ['/media/v1', '/v1'];

const streamed = z.looseObject({ stream: z.literal(true) });
const taskParameters = z.object({ task: z.string() });

function requireModel(id: string, type: ModelType): void {
	if (isFaultModel(id)) return;
	if (CATALOGUE.some((record) => record.id === id && record.type === type)) return;
	throw new ApiError(
		404,
		'model_not_found',
		`The model '${id}' does not exist or is not for this endpoint.`,
	);
}

function originOf({ protocol, host }: FastifyRequest): string {
	return `${protocol}://${host}`;
}

function chat(handler: RequestHandler, { body, nowMs }: RequestContext) {
	const request = checked(chatRequest, body);
	requireModel(request.model, 'text');
	handler.completions += 1;
	return complete(request, nowMs);
}

function submit(handler: RequestHandler, context: RequestContext) {
	const request = checked(videoRequest, context.body);
	requireModel(request.model, 'video');
	const { maxPromptLength, videoSeconds } = handler.settings;
	if (request.prompt.length > maxPromptLength) {
		const message = `prompt must be at most ${maxPromptLength} characters long.`;
		throw new ApiError(413, 'payload_too_large', message);
	}
	const faults = faultSpecsIn(context.body).filter(({ endpoint }) => endpoint !== undefined);
	const seconds = spread(videoSeconds, handler.tasks.submissions);
	const tasks = handler.tasks.create(request, seconds, faults, context.outcome);
	return jsonResponse({
		id: tasks[0]?.submissionId,
		object: 'video.generation',
		created: Math.floor(context.nowMs / 1000),
		model: request.model,
		data: tasks.map(({ id, revisedPrompt }) => ({
			id,
			status: 'processing',
			url: null,
			revised_prompt: revisedPrompt,
		})),
	});
}

async function poll(handler: RequestHandler, { request, nowMs, authorization }: RequestContext) {
	const { task: id } = taskParameters.parse(request.params);
	const task = handler.tasks.find(id);
	if (!task || !isKnown(task, nowMs, handler.settings.lagSeconds)) {
		throw new ApiError(404, 'task_not_found', 'The task id is unknown, expired or malformed.');
	}
	const origin = `${originOf(request)}${handler.settings.pathPrefix}`;
	return jsonResponse(await taskBody(task, nowMs, origin, authorization));
}

async function download(handler: RequestHandler, { request, nowMs }: RequestContext) {
	const { task: id } = taskParameters.parse(request.params);
	const task = handler.tasks.find(id);
	if (!task || stateOf(task, nowMs).status !== 'completed') {
		throw new ApiError(404, 'not_found', 'There is no such file.');
	}
	const file = padded(
		await mp4File(task.format, sceneOf(task.prompt)),
		handler.settings.videoBytes,
	);
	return fileResponse(file, request.headers.range);
}

/** The endpoints of the interface document, and the files of finished videos. */
export function routes(app: FastifyInstance, handler: RequestHandler): void {
	const { pathPrefix } = handler.settings;
	app.post(
		`${pathPrefix}/v1/chat/completions`,
		handler.serve(
			(body) => (streamed.safeParse(body).success ? 'chatStream' : 'chat'),
			(context) => chat(handler, context),
		),
	);
	const list = jsonResponse({ object: 'list', data: CATALOGUE });
	app.get(
		`${pathPrefix}/v1/models`,
		handler.serve(
			() => 'models',
			() => list,
		),
	);
	for (const prefix of VIDEO_PREFIXES) {
		const path = `${pathPrefix}${prefix}/video/generations`;
		app.post(
			path,
			handler.serve(
				() => 'submit',
				(context) => submit(handler, context),
			),
		);
		app.get(
			`${path}/:task`,
			handler.serve(
				() => 'poll',
				(context) => poll(handler, context),
			),
		);
	}
	app.get(
		`${pathPrefix}/files/:task.mp4`,
		handler.serve(
			() => 'download',
			(context) => download(handler, context),
		),
	);
	app.setNotFoundHandler(
		handler.serve(
			() => 'other',
			({ request }) => {
				const message = `There is no ${request.method} ${request.url.replace(/\?.*/, '')}.`;
				throw new ApiError(404, 'not_found', message);
			},
		),
	);
}
