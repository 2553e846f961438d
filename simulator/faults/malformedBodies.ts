import { jsonResponse } from '../httpResponse';
import { ALL, API, faultsOn, type Effect } from './fault';
import * as stream from './effects/stream';
import { echoKey, empty, json, html, plainText, rawJson, replace } from './effects/replace';

const alter = (change: (body: Record<string, unknown>) => unknown): Effect => ({
	kind: 'alter',
	alter: change,
});

const oddChoice = (content: string | null, finish_reason: string) =>
	alter((body) => ({
		...body,
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
	}));

const without = (field: string) =>
	alter((body) => Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)));

const hugeList = () =>
	Array.from({ length: 100_000 }, (_, index) => ({ id: `model-${index}`, object: 'model' }));

/** Bodies that are malformed, or lack something that the document promises. */
export const malformedBodies = [
	...faultsOn(ALL, {
		'html-200': ['200 with an HTML page', html(200)],
		'text-200': ['200 with plain text', plainText(200)],
		'empty-200': ['200 without a body', empty(200)],
	}),
	...faultsOn(API, {
		'empty-204': ['204', empty(204)],
		'json-invalid': ['200 with invalid JSON', rawJson('{"id": "x", ')],
		'json-null': ['200 with null', json(null)],
		'json-number': ['200 with 42', json(42)],
		'json-string': ['200 with a string', json('done')],
		'json-array': ['200 with an array of nulls', json([null])],
		'json-object': ['200 with an empty object', json({})],
		'json-other': [
			'200 with JSON of another shape',
			json({ id: 7, status: true, choices: 'none', data: 3, url: {} }),
		],
		'json-error': [
			'200 with an error body',
			json({ error: { message: 'It went wrong.', type: 'server_error', code: 'oops' } }),
		],
		'json-deep': [
			'200 with arrays nested 50,000 deep',
			rawJson('['.repeat(50_000) + ']'.repeat(50_000)),
		],
		'echo-key-general': ['401 that repeats the Authorization header', echoKey('general')],
		'echo-key-alternate': ['the same in the alternate shape', echoKey('alternate')],
		'echo-key-text': ['the same as plain text', echoKey('text')],
		'echo-key-html': ['500 with a page that repeats the header', echoKey('html')],
	}),
	...faultsOn(['chat'], {
		'no-choices': ['a completion with no choices', alter((body) => ({ ...body, choices: [] }))],
		'no-usage': ['a completion without usage', without('usage')],
		'null-content': ['a completion whose content is null', oddChoice(null, 'stop')],
		'output-filtered': ['finish_reason content_filter', oddChoice('You', 'content_filter')],
		'stream-unrequested': [
			'a completion as an event stream that was not requested',
			stream.unrequestedStream,
		],
	}),
	...faultsOn(['models'], {
		'models-bare': ['the list as a bare array', alter(({ data }) => data)],
		'models-named': ['the list as {models: [...]}', alter(({ data }) => ({ models: data }))],
		'models-strings': ['the list as plain strings', json(['heron-chat', 'kite-motion@20250501'])],
		'models-empty': ['an empty list', json({ object: 'list', data: [] })],
		'models-huge': [
			'a list of 100,000 models',
			replace(() => jsonResponse({ object: 'list', data: hugeList() })),
		],
	}),
	...faultsOn(['submit'], {
		'no-tasks': [
			'an accepted submission that lists no task',
			alter((body) => ({ ...body, data: [] })),
		],
		'no-task-ids': [
			'an accepted submission whose tasks have no id',
			alter((body) => ({ ...body, data: [{ status: 'processing', url: null }] })),
		],
	}),
];
