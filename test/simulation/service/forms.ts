import { gzipSync } from 'node:zlib';
import { END, head, part, type Step, whole } from '../../../simulator/delivery';
import { event } from '../../../simulator/chat/complete';
import { damage } from '../../../simulator/faults/effects/damage';
import { replace } from '../../../simulator/faults/effects/replace';
import type { Effect } from '../../../simulator/faults/fault';
import { fieldFault } from '../../../simulator/faults/field';
import { type HttpResponse, jsonResponse, withHeaders } from '../../../simulator/httpResponse';
import { quoteLongNumbers } from '../../../gateway/schemas/responseJson';
import { BAD_FORMS } from './formNames';

// Forms of a response that the simulator's own table has not.

export const OWN_FORMS: Record<string, Effect> = {
	'gzip-in-capitals': damage((response) => {
		const { events, body } = response;
		const text = events === undefined ? body : Buffer.from(events.join(''));
		const packed = { ...response, body: gzipSync(text) };
		return whole(withHeaders(packed, { 'content-encoding': 'GZIP' }));
	}),
	'blank-start': damage(({ status, headers, body, events }) => [
		head(status, headers),
		part(' \r\n\n'),
		...(events ?? [body]).map(part),
		END,
	]),
	nulls: changed((value) => ({ ...NULLS, ...value })),
	'choices-reversed': changed((value) => {
		const other = { index: 1, message: { role: 'assistant', content: 'another answer' } };
		return { ...value, choices: [{ ...other, finish_reason: 'stop' }, ...choicesOf(value)] };
	}),
	'in-one-piece': damage((response) => {
		const { chunk, choice } = joined(response);
		return whole(jsonResponse({ ...chunk, object: 'chat.completion', choices: [choice] }));
	}),
	'message-in-one-chunk': damage((response) => {
		const { chunk, choice } = joined(response);
		return [head(200, response.headers), part(event({ ...chunk, choices: [choice] })), DONE, END];
	}),
	'message-repeated': damage((response) => {
		const { status, headers, events = [] } = response;
		const { chunk, choice } = joined(response);
		const last = part(event({ ...chunk, choices: [choice] }));
		return [head(status, headers), ...events.slice(0, -1).map(part), last, DONE, END];
	}),
	'empty-finish': changed((value) => ({
		...value,
		choices: choicesOf(value).map(({ finish_reason, ...rest }) => ({
			...rest,
			finish_reason: finish_reason ?? '',
		})),
	})),
	...Object.fromEntries(
		BAD_FORMS.chatStream
			.filter((name) => name.startsWith('field-'))
			.map((name) => [name, fieldFailure(name)]),
	),
	'page-of-no-type': replace(() => page(400)),
	'error-as-text': replace(() => jsonResponse({ error: ERROR_TEXT }, 400)),
	'retry-after-in-body': replace(() =>
		jsonResponse(
			{ code: 'rate_limit_exceeded', message: 'Too many requests.', data: { retry_after: 20 } },
			429,
		),
	),
};

/** A page that only its text shows to be one. */
const PAGE = '<html><body><p>Blocked by the firewall</p></body></html>';
const ERROR_TEXT = 'This cannot be done today.';
/** Fields that may have no value. */
const NULLS = { usage: null, system_fingerprint: null, service_tier: null };

const page = (status: number): HttpResponse => ({ status, headers: {}, body: Buffer.from(PAGE) });

interface Choice {
	delta?: { content?: string };
	finish_reason?: string | null;
}

function choicesOf(value: object): Choice[] {
	return (value as { choices?: Choice[] }).choices ?? [];
}

const DONE = part('data: [DONE]\n\n');

/** What all events of a stream say, as one choice. */
function joined({ events = [] }: HttpResponse): { chunk: object | undefined; choice: object } {
	const chunks = events.flatMap((text) => chunkOf(text) ?? []);
	const all = chunks.flatMap(choicesOf);
	const content = all.map(({ delta }) => delta?.content ?? '').join('');
	const { finish_reason } = all.at(-1) ?? {};
	const message = { role: 'assistant', content };
	return { chunk: chunks.at(-1), choice: { index: 0, message, finish_reason } };
}

function chunkOf(text: string): object | undefined {
	return text.includes('[DONE]') ? undefined : objectOf(text.slice('data: '.length));
}

/** JSON.parse alone would change the last digits of an id that is a number. */
function objectOf(json: string): object {
	return JSON.parse(quoteLongNumbers(json)) as object;
}

/** The JSON of a response, or of each event of a stream. */
function changed(change: (value: object) => object): Effect {
	return damage((response) => {
		const { status, headers, body, events } = response;
		if (events === undefined)
			return whole({
				...response,
				body: Buffer.from(JSON.stringify(change(objectOf(body.toString())))),
			});
		const parts = events.map((text) => {
			const chunk = chunkOf(text);
			return part(chunk === undefined ? text : event(change(chunk)));
		});
		return [head(status, headers), ...parts, END];
	});
}

/** Half of the answer, then what a real gateway sent behind text: a file of test/corpus. */
function fieldFailure(name: string): Effect {
	const { effect } = fieldFault(name) ?? {};
	return damage((response, context) => {
		const { status, headers, events = [] } = response;
		const half = events.slice(0, Math.ceil((events.length - 2) / 2));
		const sent = effect?.kind === 'replace' ? [...effect.deliver(context)] : [];
		const isText = (step: Step) => step.kind === 'bytes' && String(step.bytes).includes('"delta"');
		return [
			head(status, headers),
			...half.map(part),
			...sent.slice(1).filter((step) => !isText(step)),
		];
	});
}
