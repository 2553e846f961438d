import { execFile } from 'node:child_process';
import { join } from 'node:path';

const TIMEOUT_MS = 600_000;

// Beside the other tests: it takes one core half a minute where no earlier run has left its result.
test(
	'the types are right',
	async () => {
		const errors = await new Promise<string>((resolve) => {
			const options = { cwd: join(__dirname, '../..') };
			execFile('npm', ['run', '--silent', 'typecheck'], options, (error, output) =>
				resolve(error ? output || error.message : ''),
			);
		});
		expect(errors).toBe('');
	},
	TIMEOUT_MS,
);
