import { ALL, API, on } from './fault';
import * as damage from './effects/damage';
import { redirect } from './effects/replace';

/** What can happen to a connection and to an answer on its way. */
export const transport = [
	...on(ALL, {
		refuse: ['connection reset at once, nothing handled', { kind: 'refuse' }],
		lost: ['handled, then reset before a byte of the answer', damage.lost],
		'reset-inside': ['handled, then reset inside the answer', damage.half((wire) => wire.reset())],
		hang: ['handled, and never answered', damage.hang],
		'hang-inside': ['half the response, then nothing', damage.half((wire) => wire.silence())],
		'slow-answer': ['answered late', damage.slowAnswer],
		'slow-drip': ['answered a few bytes at a time', damage.slowDrip],
		'close-after': ['a good answer, then the kept-alive connection is reset', damage.closeAfter],
		truncated: ['closed before the announced length', damage.half((wire) => wire.hangUp())],
		'cut-short': ['half the body under a length that agrees', damage.cutShort],
		oversized: ['a very large answer', damage.oversized],
		'bad-gzip': ['says gzip and is not', damage.changedHeaders({ 'content-encoding': 'gzip' })],
		'cut-gzip': ['half a gzip stream', damage.cutGzip],
		'unknown-encoding': [
			'an unknown Content-Encoding',
			damage.changedHeaders({ 'content-encoding': 'pressed' }),
		],
		'wrong-type': [
			'a good answer called text/html',
			damage.changedHeaders({ 'content-type': 'text/html' }),
		],
		'no-type': [
			'a good answer without Content-Type',
			damage.changedHeaders({ 'content-type': undefined }),
		],
		'redirect-here': ['302 to another path of this host', redirect(302, '/files/other.mp4')],
	}),
	...[301, 302, 303, 307, 308].flatMap((status) =>
		on(ALL, { [`redirect-${status}`]: [`${status} to another host`, redirect(status)] }),
	),
	// A stream never has a Content-Length.
	...on(
		ALL.filter((endpoint) => endpoint !== 'chatStream'),
		{
			'no-length': [
				'a good answer without Content-Length',
				damage.changedHeaders({ 'content-length': undefined }),
			],
		},
	),
	...on(API, {
		'gzip-bomb': ['a small gzip answer that decodes to a very large one', damage.gzipBomb],
		created: ['a good answer with status 201', damage.otherStatus(201)],
	}),
];
