import { RESET, STALL } from '../delivery';
import { faultsOn } from './fault';
import * as stream from './effects/stream';

const joined = (events: readonly string[]) => [events.join('')];
const each = (change: (text: string) => string) => stream.rewritten((events) => events.map(change));

/** Streams that break, and unusual streams that are valid. */
export const streams = faultsOn(['chatStream'], {
	'stream-cut': ['ends half-way without finish_reason or [DONE]', stream.halfThen()],
	'stream-no-done': ['complete, without [DONE]', stream.withoutDone],
	'stream-no-reason': ['complete, without finish_reason', stream.withoutReason],
	'stream-empty': ['200 without any event', stream.rewritten(() => [])],
	'stream-only-done': ['nothing but [DONE]', stream.rewritten(() => ['data: [DONE]\n\n'])],
	'stream-reset': ['reset half-way', stream.halfStream(RESET)],
	'stream-hang': ['stops sending half-way', stream.halfStream(STALL)],
	'stream-slow': ['a long pause half-way', stream.slowStream],
	'stream-endless': ['words that never end', stream.endless],
	'stream-long-line': ['one very long event line', stream.longLine],
	'stream-error-general': ['a {code, message, data} half-way', stream.errorInside('general')],
	'stream-error-alternate': ['an {error: {...}} half-way', stream.errorInside('alternate')],
	'stream-echo-key': ['an error half-way that repeats the key', stream.echoKeyInside],
	'stream-garbage': ['an event that is not JSON', stream.inserted('data: {"id": oops\n\n')],
	'stream-wrong-shape': [
		'events with JSON of another shape',
		stream.inserted('data: 42\n\ndata: {"a":[]}\n\n'),
	],
	'stream-html': ['an HTML page half-way', stream.halfThen('<html><body>Bye</body></html>\n')],
	'stream-crlf': ['CRLF line endings', each((text) => text.replaceAll('\n', '\r\n'))],
	'stream-comments': [
		'comments, blank events and other fields between the chunks',
		stream.inserted(': keep-alive\n\n', '\n\n', 'event: note\nid: 7\nretry: 10\n\n'),
	],
	'stream-no-blank': [
		'no blank lines between data lines',
		each((text) => text.replace('\n\n', '\n')),
	],
	'stream-no-space': ['no space after data:', each((text) => text.replace('data: ', 'data:'))],
	'stream-bom': [
		'begins with a byte order mark',
		stream.rewritten((events) => ['\uFEFF', ...events]),
	],
	'stream-split': ['one byte per packet, which splits UTF-8 characters', stream.byteByByte],
	'stream-joined': ['everything in one packet', stream.rewritten(joined)],
	'tool-name-repeated': ['each delta of a tool call repeats its name', stream.toolNameRepeated],
	'tool-id-emptied': ['later deltas of a tool call have an empty id', stream.toolIdEmptied],
	'stream-unended': [
		'[DONE] without a line ending',
		each((text) => text.replace('[DONE]\n\n', '[DONE]')),
	],
});
