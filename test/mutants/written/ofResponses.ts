import { changesOf, type Change } from './change';

export const OF_RESPONSES: readonly Change[] = [
	...changesOf('gateway/cloud/clock.ts', [
		[
			'verified: Stop does not end a pause',
			'await n8nSleep(ms, signal).catch(() => {',
			'await n8nSleep(ms, signal?.aborted ? signal : undefined).catch(() => {',
		],
	]),
	...changesOf('gateway/stream/mergeFields.ts', [
		[
			'the first usage of a stream counts, not the last',
			'if (!isEmptied(value)) this',
			'if (!isEmptied(value) && target[name] === undefined) this',
		],
		['pieces of a refusal that are equal are one', "\t'refusal',\n", ''],
	]),
	...changesOf('gateway/schemas/responseJson.ts', [
		['integers of 16 and 17 digits are rounded', '/\\d{16}/;', '/\\d{18}/;'],
	]),
	...changesOf('gateway/cloud/transport.ts', [
		['verified: a request that is given up goes on', '\t\tabortSignal,\n\t});', '\t});'],
		[
			"verified: n8n's error with the whole request is passed on",
			'return isNeverSent ? new NeverSentError(plain) : plain;',
			'return isNeverSent ? new NeverSentError(plain) : (error as Error);',
		],
		[
			'verified: a connection that is read to its end stays open',
			"body.once('close', () => giveUp.abort());",
			"body.once('close', () => body.readableEnded || giveUp.abort());",
		],
	]),
	...changesOf('gateway/stream/sseEvents.ts', [
		[
			'a streamed answer shows the key',
			'this.response.apiKey.redactResponse(this.rest + text.slice(0, end))',
			'(this.rest + text.slice(0, end))',
		],
		[
			'a character that two packets divide is lost',
			'this.decoder.decode(bytes, { stream: true })',
			'this.decoder.decode(bytes)',
		],
	]),
	...changesOf('gateway/stream/readChat.ts', [
		['an error in a stream is not thrown', '\t\t\tthrowErrorBeside(value, response);\n', ''],
		[
			'a key that two chunks divide is in the answer',
			'JSON.parse(response.apiKey.redactResponse(json))',
			'JSON.parse(json)',
		],
	]),
	...changesOf('gateway/schemas/chat.ts', [
		[
			'an answer in parts is its first part',
			'parts.map(({ text }) => text)',
			'parts.slice(0, 1).map(({ text }) => text)',
		],
	]),
	...changesOf('nodes/shared/book/schema.ts', [
		[
			'a stored wait forgets when a task was submitted',
			'\tsubmittedAt: wallTime.optional(),\n',
			'',
		],
	]),
	...changesOf('gateway/schemas/toolCalls.ts', [
		[
			'a chat model calls tools without their arguments',
			'name: called.name, arguments: text,',
			"name: called.name, arguments: '{}',",
		],
	]),
	...changesOf('nodes/ChatCompletion/answer.ts', [
		[
			'an answer has the first of several tool calls',
			'calls.length > 0 ? calls : undefined',
			'calls.slice(0, 1)',
		],
	]),
	...changesOf('gateway/schemas/jsonAnswer.ts', [
		['JSON in a code block with a language is not found', "code.replace(LANGUAGE, '')", 'code'],
		['the JSON of an answer is its text', 'json: values.at(-1)', 'json: candidates.at(-1)'],
	]),
	...changesOf('gateway/video/errors.ts', [
		[
			'a failed video does not say why',
			'serviceMessage: words?.message',
			'serviceMessage: undefined',
		],
	]),
];
