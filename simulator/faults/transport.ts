import { CLOSE, RESET, STALL } from '../delivery';
import { ALL, API, faultsOn } from './fault';
import * as damage from './effects/damage';
import { redirect } from './effects/replace';

/** What can happen to a connection and to a response on its way. */
export const transport = [
	...faultsOn(ALL, {
		reset: [
			'connection reset at once, request not handled',
			{ kind: 'replace', deliver: () => [RESET] },
		],
		lost: ['handled, then reset before the first byte of the response', damage.lost],
		'reset-inside': ['handled, then reset inside the response', damage.half(RESET)],
		hang: ['handled, without any response', damage.hang],
		'hang-inside': ['half the response, then nothing', damage.half(STALL)],
		'slow-response': ['a late response', damage.slowResponse],
		'slow-drip': ['a few bytes of the response at a time', damage.slowDrip],
		'close-after': ['a good response, then the kept-alive connection is reset', damage.closeAfter],
		truncated: ['closed before the announced length is sent', damage.half(CLOSE)],
		'cut-short': ['half the body, with the length of that half', damage.cutShort],
		oversized: ['a very large response', damage.oversized],
		'bad-gzip': [
			'Content-Encoding: gzip with a body that is not compressed',
			damage.changedHeaders({ 'content-encoding': 'gzip' }),
		],
		'cut-gzip': ['half a gzip stream', damage.cutGzip],
		'unknown-encoding': [
			'an unknown Content-Encoding',
			damage.changedHeaders({ 'content-encoding': 'unknown' }),
		],
		'wrong-type': [
			'a good response with Content-Type: text/html',
			damage.changedHeaders({ 'content-type': 'text/html' }),
		],
		'no-type': [
			'a good response without Content-Type',
			damage.changedHeaders({ 'content-type': undefined }),
		],
		'redirect-here': ['302 to another path of this host', redirect(302, '/files/other.mp4')],
	}),
	...[301, 302, 303, 307, 308].flatMap((status) =>
		faultsOn(ALL, { [`redirect-${status}`]: [`${status} to another host`, redirect(status)] }),
	),
	// A stream never has a Content-Length.
	...faultsOn(
		ALL.filter((endpoint) => endpoint !== 'chatStream'),
		{
			'no-length': [
				'a good response without Content-Length',
				damage.changedHeaders({ 'content-length': undefined }),
			],
		},
	),
	...faultsOn(API, {
		'gzip-bomb': ['a small gzip response that decodes to a very large one', damage.gzipBomb],
		created: ['a good response with status 201', damage.otherStatus(201)],
	}),
];
