import { completionFrom } from '../../gateway/dialects';
import { END_WORDS } from '../../gateway/dialects/finishWords';

const message = { role: 'assistant', content: 'Good day' };
const endAfter = (finish_reason: string) =>
	(
		completionFrom({ choices: [{ message, finish_reason }] }) as {
			choices: Array<{ end: unknown }>;
		}
	).choices[0]?.end;

/** What each word means, and where it is in a reason. */
const WORDS = {
	'failed alone': 'error, networkerror, insufficientsystemresource',
	'content_filter anywhere':
		'filter, safety, recitation, guardrail, moderat, block, prohibited, sensitive, spii, toxic, refusal',
	'length anywhere':
		'length, limit, truncat, contextwindow, maxtoken, maxoutputtoken, maxcompletiontoken, maxnewtoken',
	'aborted anywhere': 'abort, cancel, timeout, timedout, error, interrupt',
	'tool_calls alone':
		'toolcall, toolcalls, tooluse, tooluses, functioncall, functioncalls, functionuse, functionuses',
	'stop first': 'stop, eos, end, complete',
};
const ROWS = Object.entries(WORDS).flatMap(([row, words]) => {
	const [meaning = '', where = ''] = row.split(' ');
	return words.split(', ').map((word) => [word, meaning, where] as const);
});

test('each word of the table is played here', () => {
	const table = END_WORDS.flatMap(([meaning, where, words]) =>
		words.map((word) => [word, meaning, where]),
	);
	expect(table.map(String).sort()).toEqual(ROWS.map(String).sort());
});

test.each(ROWS)('a finish reason with "%s" means %s, %s', (word, meaning, where) => {
	const nearMiss = `x${word[0]}${word.slice(2)}x`;
	const [behind, before, around] = [`${word}x`, `x${word}`, `X_${word}-x`].map(endAfter);
	expect(endAfter(nearMiss)).not.toBe(meaning);
	if (where === 'alone') expect(endAfter(word)).toBe(meaning);
	expect(behind === meaning).toBe(where !== 'alone');
	expect([before === meaning, around === meaning]).toEqual(Array(2).fill(where === 'anywhere'));
});

test.each([
	['MAX_TOKENS', 'length'],
	['FinishReason.STOP', 'stop'],
	['end_turn', 'stop'],
	['upstream_error', 'aborted'],
	['network_error', 'failed'],
	['Unknown', undefined],
])('the finish reason %s means %s', (reason, meaning) => {
	expect(endAfter(reason)).toBe(meaning);
});
