import { ApiKey } from '../../gateway/redaction/apiKey';

/** Characters: enough that a search in more than linear time takes seconds. */
const LENGTH = 256 * 1024;

/** The processor time in milliseconds: other processes do not count. */
function costOf(work: () => unknown): number {
	const begin = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(begin);
	return (user + system) / 1000;
}

const KEYS: Record<string, string> = {
	'a usual key': ['acc', '0123456789abcdefghijklmnop'].join('-'),
	'a key of one character': 'a'.repeat(16_384),
	'a key that nearly repeats': `${'a'.repeat(8_191)}b${'a'.repeat(8_192)}`,
	'a key of slashes': '/'.repeat(16_384),
	'a key of escapes': '%25&amp;\\'.repeat(1_800),
};

const TEXTS: Record<string, string> = {
	words: 'A word, and "another".\\n ',
	'one character': 'a',
	'a character and another': `${'a'.repeat(8_191)}c`,
	slashes: '\\/',
	backslashes: '\\',
	'escaped backslashes': '\\\\n',
	'percent signs': '%25',
	ampersands: '&',
	'HTML entities': '&amp;',
	'entities without an end': '&#x0000000',
	'escaped characters': '\\u0061',
};

/** The cost of a search, which is never less than what can be told from what else the process does. */
function timeOf(key: ApiKey, part: string): number {
	const text = part.repeat(LENGTH / part.length);
	return Math.max(5, Math.min(...[0, 1, 2].map(() => costOf(() => key.redactResponse(text)))));
}

test('a text is searched in a time that grows with its length, whatever the key', () => {
	const usual = new ApiKey(KEYS['a usual key']!);
	const slowest = Math.max(...Object.values(TEXTS).map((part) => timeOf(usual, part)));
	for (const [name, text] of Object.entries(KEYS)) {
		const key = new ApiKey(text);
		const slow = Object.entries(TEXTS).filter(([, part]) => timeOf(key, part) > 5 * slowest);
		expect({ name, slow }).toEqual({ name, slow: [] });
	}
});
