// Counts the functions and files of the package that one chat and one video execute, module setup included. Then prints the
// functions that a chat, a submission and a poll pass on their way.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

for (const what of ['chat', 'video']) {
	const folder = mkdtempSync(join(tmpdir(), 'path-'));
	const jest = ['jest', 'test/architecture/requestPath.test.ts', '-t', `one ${what} passes`];
	const coverage = [
		'--coverage',
		'--coverageReporters=json',
		'--coverageThreshold={}',
		`--coverageDirectory=${folder}`,
	];
	execFileSync('npx', [...jest, ...coverage], { stdio: ['ignore', 'ignore', 'inherit'] });
	const report = JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8'));
	rmSync(folder, { recursive: true });
	const counts = Object.entries(report)
		.filter(([file]) => /\/(?:nodes|gateway)\//.test(file.slice(process.cwd().length)))
		.map(([, { f }]) => Object.values(f).filter((calls) => calls > 0).length)
		.filter((functions) => functions > 0);
	const functions = counts.reduce((sum, count) => sum + count, 0);
	process.stdout.write(`one ${what}: ${functions} functions in ${counts.length} files\n`);
}

const frames = execFileSync(process.execPath, ['test/architecture/requestFrames.cjs']);
for (const [request, names] of Object.entries(JSON.parse(frames)))
	process.stdout.write(`\n${request}: ${names.length} frames\n${names.join('\n')}\n`);
