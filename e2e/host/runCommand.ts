import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Of what a command that fails has said, its first and its last words tell why. */
const WORDS = 2000;

interface Surroundings {
	cwd: string;
	signal?: AbortSignal | undefined;
	env?: NodeJS.ProcessEnv;
}

/**
 * Runs a command to its end.
 * @returns what it wrote, of both its outputs
 * @throws Error with the command and what it said; AbortError when it was interrupted
 */
export async function runCommand(
	command: string,
	args: string[],
	{ cwd, signal, env }: Surroundings,
): Promise<string> {
	const child = spawn(command, args, { cwd, signal, env, stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';
	for (const output of [child.stdout, child.stderr]) {
		output.setEncoding('utf8').on('data', (piece: string) => (said += piece));
	}
	const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
	if (code === 0) return said;
	const end = killedBy === null ? `failed with code ${code}` : `was ended by ${killedBy}`;
	throw new Error(`${command} ${args.join(' ')} ${end}:\n${withoutMiddle(said)}`);
}

function withoutMiddle(text: string): string {
	if (text.length <= 2 * WORDS) return text;
	return `${text.slice(0, WORDS)}\n…\n${text.slice(-WORDS)}`;
}
