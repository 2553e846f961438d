import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonAnswer } from './answer';
import { CATALOGUE, type ModelType } from './catalogue';
import { complete } from './chat/complete';
import type { Desk, Visit } from './desk';
import { isFaultModel, ordersIn } from './faults/choice';
import { Refusal } from './refusal';
import { chatRequest, checked, videoRequest } from './requests';
import { fileAnswer } from './video/files';
import { enlarged, film } from './video/film';
import { spread, stateOf, taskBody } from './video/tasks';

const VIDEO_PREFIXES = ['/media/v1', '/v1'];

const streamed = z.looseObject({ stream: z.literal(true) });
const taskParameters = z.object({ task: z.string() });

function requireModel(id: string, type: ModelType): void {
	if (isFaultModel(id)) return;
	if (CATALOGUE.some((record) => record.id === id && record.type === type)) return;
	throw new Refusal(404, 'model_not_found', `The model '${id}' does not exist or is not for this.`);
}

function originOf({ protocol, host }: FastifyRequest): string {
	return `${protocol}://${host}`;
}

function chat({ body, nowMs }: Visit) {
	const request = checked(chatRequest, body);
	requireModel(request.model, 'text');
	return complete(request, nowMs);
}

function submit(desk: Desk, visit: Visit) {
	const request = checked(videoRequest, visit.body);
	requireModel(request.model, 'video');
	const { maxPromptLength, videoSeconds } = desk.settings;
	if (request.prompt.length > maxPromptLength) {
		const words = `prompt must be at most ${maxPromptLength} characters long.`;
		throw new Refusal(413, 'payload_too_large', words);
	}
	const faults = ordersIn(visit.body).filter(({ endpoint }) => endpoint !== undefined);
	const seconds = spread(videoSeconds, desk.tasks.submissions);
	const tasks = desk.tasks.create(request, seconds, faults, visit.outcome);
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

async function poll(desk: Desk, { request, nowMs, authorization }: Visit) {
	const { task: id } = taskParameters.parse(request.params);
	const task = desk.tasks.find(id);
	if (!task || task.outcome?.ending === 'forgotten') {
		throw new Refusal(404, 'task_not_found', 'The task id is unknown, expired or malformed.');
	}
	const origin = `${originOf(request)}${desk.settings.pathPrefix}`;
	return jsonAnswer(await taskBody(task, nowMs, origin, authorization));
}

async function download(desk: Desk, { request, nowMs }: Visit) {
	const { task: id } = taskParameters.parse(request.params);
	const task = desk.tasks.find(id);
	if (!task || stateOf(task, nowMs).status !== 'completed') {
		throw new Refusal(404, 'not_found', 'There is no such file.');
	}
	const file = enlarged(await film(task.order), desk.settings.videoBytes);
	return fileAnswer(file, request.headers.range);
}

/** The interface document's endpoints, and the files that finished videos point to. */
export function routes(app: FastifyInstance, desk: Desk): void {
	const { pathPrefix } = desk.settings;
	app.post(
		`${pathPrefix}/v1/chat/completions`,
		desk.serve((body) => (streamed.safeParse(body).success ? 'chatStream' : 'chat'), chat),
	);
	const list = jsonAnswer({ object: 'list', data: CATALOGUE });
	app.get(
		`${pathPrefix}/v1/models`,
		desk.serve(
			() => 'models',
			() => list,
		),
	);
	for (const prefix of VIDEO_PREFIXES) {
		const address = `${pathPrefix}${prefix}/video/generations`;
		app.post(
			address,
			desk.serve(
				() => 'submit',
				(visit) => submit(desk, visit),
			),
		);
		app.get(
			`${address}/:task`,
			desk.serve(
				() => 'poll',
				(visit) => poll(desk, visit),
			),
		);
	}
	app.get(
		`${pathPrefix}/files/:task.mp4`,
		desk.serve(
			() => 'download',
			(visit) => download(desk, visit),
		),
	);
	app.setNotFoundHandler(
		desk.serve(
			() => 'other',
			({ request }) => {
				const words = `There is no ${request.method} ${request.url.replace(/\?.*/, '')}.`;
				throw new Refusal(404, 'not_found', words);
			},
		),
	);
}
