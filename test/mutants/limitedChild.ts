import { type ChildProcess, execFileSync } from 'node:child_process';

/** How often it is looked at. */
const INTERVAL_MS = 3_000;

/** Kills a process that used more CPU time than it may: it runs without end. @returns what allows it more from now on */
export function limitCpu(child: ChildProcess, seconds: number): () => void {
	let begin = 0;
	let latest = 0;
	const timer = setInterval(() => {
		latest = cpuSeconds(child.pid);
		if (latest - begin > seconds) child.kill('SIGKILL');
	}, INTERVAL_MS);
	child.once('exit', () => clearInterval(timer));
	return () => void (begin = latest);
}

/** As `ps` writes it: hours, minutes, seconds. */
function cpuSeconds(pid: number | undefined): number {
	try {
		const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' });
		return time
			.trim()
			.split(/[-:]/)
			.reduce((sum, part) => sum * 60 + Number(part), 0);
	} catch {
		// It has ended.
		return 0;
	}
}
