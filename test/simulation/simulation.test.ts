import { execFile } from 'node:child_process';
import { join } from 'node:path';

const TIMEOUT_MS = 600_000;

test(
	'the seeds from 1 to 100 and all scenarios that were found keep every promise, and a seed is always the same scenario',
	async () => {
		// In a process of its own: it replaces the time and the random numbers of everything in it.
		const program = [require.resolve('tsx/cli'), join(__dirname, 'main.ts'), '--check'];
		const broken = await new Promise<string>((resolve) => {
			execFile(process.execPath, program, (error, _, lines) =>
				resolve(error ? `${error.message}\n${lines}` : ''),
			);
		});
		expect(broken).toBe('');
	},
	TIMEOUT_MS,
);
