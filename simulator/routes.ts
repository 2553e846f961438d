import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonAnswer } from './answer';
import { CATALOGUE, type ModelType } from './catalogue';
import { complete } from './chat/complete';
import type { RequestHandler, Visit } from './requestHandler';
import { isFaultModel, faultSpecsIn } from './faults/selectFault';
import { ApiError } from './apiError';
import { chatRequest, checked, videoRequest } from './requests';
import { fileAnswer } from './video/files';
import { enlarged, film } from './video/film';
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
		`The model '${id}' does not exist or is not for this.`,
	);
}

function originOf({ protocol, host }: FastifyRequest): string {
	return `${protocol}://${host}`;
}

function chat(handler: RequestHandler, { body, nowMs }: Visit) {
	const request = checked(chatRequest, body);
	requireModel(request.model, 'text');
	handler.completions += 1;
	return complete(request, nowMs);
}

function submit(handler: RequestHandler, visit: Visit) {
	const request = checked(videoRequest, visit.body);
	requireModel(request.model, 'video');
	const { maxPromptLength, videoSeconds } = handler.settings;
	if (request.prompt.length > maxPromptLength) {
		const words = `prompt must be at most ${maxPromptLength} characters long.`;
		throw new ApiError(413, 'payload_too_large', words);
	}
	const faults = faultSpecsIn(visit.body).filter(({ endpoint }) => endpoint !== undefined);
	const seconds = spread(videoSeconds, handler.tasks.submissions);
	const tasks = handler.tasks.create(request, seconds, faults, visit.outcome);
	return jsonAnswer({
		id: tasks[0]?.submissionId,
		object: 'video.generation',
		created: Math.floor(visit.nowMs / 1000),
		model: request.model,
		data: tasks.map(({ id, revisedPrompt }) => ({
			id,
			status: 'processing',
			url: null,
			revised_prompt: revisedPrompt,
		})),
	});
}

async function poll(handler: RequestHandler, { request, nowMs, authorization }: Visit) {
	const { task: id } = taskParameters.parse(request.params);
	const task = handler.tasks.find(id);
	if (!task || !isKnown(task, nowMs, handler.settings.lagSeconds)) {
		throw new ApiError(404, 'task_not_found', 'The task id is unknown, expired or malformed.');
	}
	const origin = `${originOf(request)}${handler.settings.pathPrefix}`;
	return jsonAnswer(await taskBody(task, nowMs, origin, authorization));
}

async function download(handler: RequestHandler, { request, nowMs }: Visit) {
	const { task: id } = taskParameters.parse(request.params);
	const task = handler.tasks.find(id);
	if (!task || stateOf(task, nowMs).status !== 'completed') {
		throw new ApiError(404, 'not_found', 'There is no such file.');
	}
	const file = enlarged(await film(task.order), handler.settings.videoBytes);
	return fileAnswer(file, request.headers.range);
}

/** The interface document's endpoints, and the files that finished videos point to. */
export function routes(app: FastifyInstance, handler: RequestHandler): void {
	const { pathPrefix } = handler.settings;
	app.post(
		`${pathPrefix}/v1/chat/completions`,
		handler.serve(
			(body) => (streamed.safeParse(body).success ? 'chatStream' : 'chat'),
			(visit) => chat(handler, visit),
		),
	);
	const list = jsonAnswer({ object: 'list', data: CATALOGUE });
	app.get(
		`${pathPrefix}/v1/models`,
		handler.serve(
			() => 'models',
			() => list,
		),
	);
	for (const prefix of VIDEO_PREFIXES) {
		const address = `${pathPrefix}${prefix}/video/generations`;
		app.post(
			address,
			handler.serve(
				() => 'submit',
				(visit) => submit(handler, visit),
			),
		);
		app.get(
			`${address}/:task`,
			handler.serve(
				() => 'poll',
				(visit) => poll(handler, visit),
			),
		);
	}
	app.get(
		`${pathPrefix}/files/:task.mp4`,
		handler.serve(
			() => 'download',
			(visit) => download(handler, visit),
		),
	);
	app.setNotFoundHandler(
		handler.serve(
			() => 'other',
			({ request }) => {
				const words = `There is no ${request.method} ${request.url.replace(/\?.*/, '')}.`;
				throw new ApiError(404, 'not_found', words);
			},
		),
	);
}
