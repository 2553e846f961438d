import { rateLimitHeaders } from '../../../simulator/apiError';
import { event } from '../../../simulator/chat/complete';
import {
	type Delivery,
	END,
	head,
	part,
	pause,
	RESET,
	STALL,
	type Step,
	whole,
} from '../../../simulator/delivery';
import { damage, handled } from '../../../simulator/faults/effects/damage';
import type { Effect } from '../../../simulator/faults/fault';
import { type HttpResponse, textResponse, withHeaders } from '../../../simulator/httpResponse';

// Faults that take longer than a real socket should, or that no interface of one service has.

const PING_SECONDS = 10;
const PINGS = 3600 / PING_SECONDS;

const ERROR = { message: 'The provider failed.', type: 'server_error', code: 'provider_failed' };

export const seeOther = handled(
	withHeaders(textResponse(303, 'text/plain', 'See other.'), { location: 'https://login.test/' }),
);

export const stalledRefusal: Effect = {
	kind: 'replace',
	deliver: ({ nowMs }) => [
		head(429, { 'content-type': 'application/json', ...rateLimitHeaders(1, 1, nowMs) }),
		part('{"code":"rate_limit_exceeded","message":"Too many requests.",'),
		STALL,
	],
};

export const pings = damage(function* ({ status, headers, body, events }) {
	yield head(status, headers);
	for (let sent = 0; sent < PINGS; sent += 1) {
		yield part(events ? ': ping\n\n' : ' ');
		yield pause(PING_SECONDS * 1000);
	}
	yield part(body);
	yield END;
});

export const errorBesideChoices = damage((response) => {
	const { events, headers, status } = response;
	if (!events)
		return whole(withBody(response, { ...jsonOf(response.body.toString()), error: ERROR }));
	const half = events.slice(0, Math.ceil(events.length / 2));
	const broken = { ...jsonOf(dataOf(half[0])), error: ERROR };
	return [
		head(status, headers),
		...half.map(part),
		part(event(broken)),
		part('data: [DONE]\n\n'),
		END,
	];
});

export const emptyFinishCut = damage(({ status, headers, body, events }) => {
	const unfinished = (text: string) =>
		text.replaceAll(/"finish_reason":(null|"\w+")/g, '"finish_reason":""');
	const texts = events?.slice(0, -2) ?? [body.toString('utf8', 0, body.length / 2)];
	return [head(status, headers), ...texts.map((text) => part(unfinished(text))), pause(5), RESET];
});

/** Half a chat, then what says that it failed, and an end in good order. */
function failsHalfway(
	inStream: (chunk: object) => string,
	inBody: (body: object) => object,
): Effect {
	return damage((response) => {
		const { events, headers, status, body } = response;
		if (!events) return whole(withBody(response, inBody(halved(jsonOf(body.toString())))));
		const half = events.slice(0, Math.ceil((events.length - 2) / 2));
		return [
			head(status, headers),
			...half.map(part),
			part(inStream(jsonOf(dataOf(half[0])))),
			part('data: [DONE]\n\n'),
			END,
		];
	});
}

/** A response with half its text. */
function halved(body: object): object {
	const { choices } = body as { choices: Array<{ message: { content: string } }> };
	const half = ({ content, ...message }: { content: string }) => ({
		...message,
		content: content.slice(0, content.length / 2),
	});
	return {
		...body,
		choices: choices.map((choice) => ({ ...choice, message: half(choice.message) })),
	};
}

const OUT_OF_MEMORY = 'CUDA out of memory';

export const errorText = failsHalfway(
	() => event({ error: OUT_OF_MEMORY }),
	(body) => ({ ...body, error: OUT_OF_MEMORY }),
);

export const errorEvent = failsHalfway(
	() => `event: error\ndata: ${JSON.stringify({ type: 'overloaded', detail: OUT_OF_MEMORY })}\n\n`,
	(body) => ({ ...body, error: { type: 'overloaded', detail: OUT_OF_MEMORY } }),
);

export const errorFinish = failsHalfway(
	(chunk) =>
		event({
			...chunk,
			choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 502 } }],
		}),
	(body) => ({
		...jsonOf(JSON.stringify(body).replace(/"finish_reason":"\w+"/, '"finish_reason":"error"')),
		error: { code: 502 },
	}),
);

/** Changes the JSON of a chat, or of each chunk of it. */
function eachPart(change: (value: object, index: number) => object): Effect {
	return damage((response): Delivery => {
		const { events, headers, status, body } = response;
		if (!events) return whole(withBody(response, change(jsonOf(body.toString()), 0)));
		const changed = events.map((text, index) =>
			text.includes('[DONE]') ? text : event(change(jsonOf(dataOf(text)), index)),
		);
		return [head(status, headers), ...changed.map(part), END];
	});
}

export const errorEmpty = eachPart((value) => ({ ...value, error: { message: '', code: 0 } }));

/** The total of the first chunk. */
export const FIRST_USAGE = 1;

export const runningUsage = eachPart((value, index) => ({
	usage: { prompt_tokens: 1, completion_tokens: index, total_tokens: index + FIRST_USAGE },
	...value,
}));

/** What gateways to several providers add: text that is equal in every chunk. */
export const PROVIDER = 'P';
/** What a model adds to an answer, in pieces that may be equal. */
export const PIECE = 'ha';
export const PIECES = ['reasoning', 'reasoning_content', 'thinking', 'summary', 'refusal'] as const;
const SAID = Object.fromEntries(PIECES.map((name) => [name, PIECE]));

export const labels = eachPart((value) => {
	const { choices = [], ...rest } = value as { choices?: object[] };
	return { ...rest, choices: choices.map(withProvider) };
});

function withProvider(choice: { delta?: object; message?: object }): object {
	const { delta, message } = choice;
	return {
		...choice,
		...(delta && { delta: { ...delta, ...SAID, provider: PROVIDER } }),
		...(message && { message: { ...message, ...SAID, provider: PROVIDER } }),
	};
}

export const contentParts = eachPart((value) =>
	jsonOf(
		JSON.stringify(value).replace(
			/"content":("(?:[^"\\]|\\.)*")/g,
			'"content":[{"type":"text","text":$1}]',
		),
	),
);

/** The list of models as names, and without an object around it. */
export const modelNames = eachPart((value) => ({
	models: (value as { data: Array<{ id: string }> }).data.map(({ id }) => id),
}));
export const bareModels = eachPart((value) => (value as { data: object[] }).data);

const KEEP_ALIVES = ['event: ping\ndata: {"type":"ping"}\n\n', 'data: {}\n\n', ': ping\n\n'];

export const keepAliveEvents = damage((response): Delivery => {
	const { status, headers, events } = response;
	if (!events) return whole(response);
	const between = events.flatMap((text, index): Step[] => [
		part(KEEP_ALIVES[index % KEEP_ALIVES.length] ?? ''),
		part(text),
	]);
	return [head(status, headers), ...between, END];
});

function withBody(response: HttpResponse, value: object): HttpResponse {
	return { ...response, body: Buffer.from(JSON.stringify(value)) };
}

function jsonOf(text: string): object {
	return JSON.parse(text) as object;
}

function dataOf(text = ''): string {
	return text.slice('data: '.length);
}
