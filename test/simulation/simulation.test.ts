import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CheckReport, checkReport } from './checkReport';

const run = promisify(execFile);
const TIMEOUT_MS = 600_000;

let report: CheckReport;

// In a process of its own: it replaces the time and the random numbers of everything in it.
beforeAll(async () => {
	const tsx = require.resolve('tsx/cli');
	const played = run(process.execPath, [tsx, join(__dirname, 'main.ts'), '--check'], {
		maxBuffer: 2 ** 26,
	});
	// It fails if something is not as known: the tests below say what.
	const { stdout, stderr } = await played.catch(
		(error: Record<'stdout' | 'stderr', string>) => error,
	);
	if (stdout === '') throw new Error(stderr);
	report = checkReport.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
}, TIMEOUT_MS);

test('random scenarios keep every promise, but for those that are known to break one', () => {
	expect(report.seeds).toEqual(report.known);
});

test('a scenario that was found breaks its promise until the defect is fixed, and no other', () => {
	expect(report.found.map(({ name, broken }) => ({ name, broken }))).toEqual(
		report.found.map(({ name, expected }) => ({
			name,
			broken: expected === undefined ? [] : [expected],
		})),
	);
});

test('the same seed gives the same scenario, event for event', () => {
	expect(report.unlike).toEqual([]);
});
