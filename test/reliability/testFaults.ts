import { untrustedCertificate } from '../engine/localServer';
import type { Expected } from './expected';
import { type Case, casesOf, ROWS } from './faultTable';
import { expectedText } from './messages';
import {
	expectedItems,
	hasPartialText,
	hasNoServiceMessage,
	expectedPhrases,
} from './faultDetails';
import { type Outcome, runWithFault, withoutIds } from './runWithFault';
import { KINDS, REQUEST_KINDS } from './requestKinds';

/** Tests every fault with the kinds of requests of a test file. */
export function testFaults(file: (typeof KINDS)['chat']['testedIn']) {
	const kinds = REQUEST_KINDS.filter((kind) => KINDS[kind].testedIn === file);
	let tls: { key: string; cert: string };
	beforeAll(async () => {
		tls = await untrustedCertificate();
	});
	// Uses the maximum of random pauses, so that every run is the same.
	beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(1 - 1e-9));

	const cases = ROWS.flatMap((row) => casesOf(row).map((entry) => ({ what: row.what, ...entry })));

	describe.each(kinds)('%s', (kind) => {
		let healthy: Outcome;
		const stoppedBy = new Set<string>();
		beforeAll(async () => {
			healthy = await runWithFault({ kind, times: 'once' });
		});

		test('without a fault', () => {
			expect(healthy).toMatchObject({ error: undefined, thrown: undefined, pauses: [] });
			expect(healthy.items).not.toEqual([]);
		});

		test.each(cases.filter((entry) => entry.kind === kind))('$what ($fault)', async (entry) => {
			const { fault, once, always } = entry;
			const single = await runWithFault({ kind, fault, tls, times: 'once' });
			const lasting = await runWithFault({ kind, fault, tls, times: 'always' });
			expectOutcome(single, once, entry, healthy);
			expectOutcome(lasting, always, entry, healthy);
			// How an error stops a workflow does not depend on the fault that led to it.
			const error = `${always.code} ${always.status}`;
			if (always.code === undefined || stoppedBy.has(error)) return;
			stoppedBy.add(error);
			expectThrown(await runWithFault({ kind, fault, tls, times: 'stopping' }), lasting, always);
		});
	});
}

function expectOutcome(outcome: Outcome, expected: Expected, entry: Case, healthy: Outcome) {
	expectPauses(outcome, expected);
	expect(outcome.tasks.length).toBeLessThanOrEqual(1);
	if (expected.code !== undefined) {
		expectError(outcome, expected, entry, healthy);
		return;
	}
	expect(outcome.error).toBeUndefined();
	expect(outcome.items).toEqual(expectedItems(entry, healthy.items));
}

function expectPauses({ pauses }: Outcome, { pauses: expected }: Expected) {
	if (Array.isArray(expected)) {
		expect(pauses).toEqual(expected);
		return;
	}
	expect(pauses).not.toEqual([]);
	expect(Math.min(...pauses)).toBeGreaterThanOrEqual(expected.atLeast);
}

/** What was said of a task for a minute, in words that are not the document's. */
const DOUBTED = 'The service has said nothing else of the video task for a minute';

function expectError(outcome: Outcome, expected: Expected, entry: Case, healthy: Outcome) {
	const { error, items, tasks } = outcome;
	const { code = '', status, mayBePaid = false, followedId } = expected;
	expect(items).toEqual([]);
	const { message } = expectedText(code, status);
	const isDoubted = entry.kind === 'poll' && String(error?.message) === DOUBTED;
	expect(error).toMatchObject({
		code,
		message: isDoubted ? DOUBTED : expect.stringMatching(message),
		item: 0,
	});
	expect(error?.http_status).toBe(status ?? statusOfFile(error));
	// The service accepted the submission, and knows no task of its ID.
	const isLost =
		error?.http_status === 404 &&
		(tasks.length > 0 || followedId !== undefined) &&
		!['get', 'download'].includes(entry.kind);
	expect(error?.may_have_been_accepted ?? false).toBe(mayBePaid || isLost);
	const description = String(error?.description);
	expect(/may have accepted the request.*billed twice/.test(description)).toBe(mayBePaid);
	for (const phrase of expectedPhrases(entry, code)) expect(description).toMatch(phrase);
	if (hasNoServiceMessage(entry)) expect(description).not.toContain('The service says');
	// A submitted task is always in the error.
	if (followedId) expect(error?.task_id).toMatch(followedId);
	else if (tasks.length > 0 && !mayBePaid) expect(error?.task_id).toBe(tasks[0]);
	const partial = hasPartialText(entry) ? String(error?.partial_text) : '';
	expect(error?.partial_text).toBe(partial || undefined);
	expect(textOf(healthy).startsWith(partial)).toBe(true);
}

/** The status of a video's URL, which its error names. */
function statusOfFile(error: Outcome['error']): number | null {
	const [, status] =
		/^The URL of the video returned status (\d+)$/.exec(String(error?.message)) ?? [];
	return status === undefined ? null : Number(status);
}

/** The error that stops the workflow has the text of the error item and lists the tasks. */
function expectThrown({ thrown, tasks, pauses }: Outcome, lasting: Outcome, expected: Expected) {
	const { code = '', status, mayBePaid, followedId } = expected;
	const { error } = lasting;
	expect(thrown?.name).toBe(expectedText(code, status).class);
	expect(normalized(thrown?.message)).toBe(`${normalized(error?.message)} [item 0]`);
	// n8n's editor shows it as HTML. Only an execution that fails has a Retry in n8n.
	const withoutRetry = thrown?.description
		?.replaceAll('<br>\n', ' ')
		.replaceAll('&lt;', '<')
		.replace(/use Retry \([^)]*\), or add/, 'add')
		.replace(/ and use Retry( \([^)]*\))?\./, '.')
		.replace(', not connected to this one,', '');
	expect(normalized(withoutRetry)).toContain(normalized(error?.description).trim());
	expect(thrown && 'httpCode' in thrown ? thrown.httpCode : null).toBe(
		error?.http_status === null ? null : String(error?.http_status),
	);
	if (tasks[0] && !mayBePaid && !followedId) expect(thrown?.description).toContain(tasks[0]);
	expect(pauses).toEqual(lasting.pauses);
}

function textOf({ items }: Outcome): string {
	const [item] = items;
	return typeof item === 'object' && item !== null && 'text' in item ? String(item.text) : '';
}

const normalized = (text: unknown) => withoutIds(String(text));
