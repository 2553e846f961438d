import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The characters of a failed command's output to show, at its beginning and at its end. */
const SHOWN = 2000;

interface CommandOptions {
	cwd: string;
	signal?: AbortSignal | undefined;
	env?: NodeJS.ProcessEnv;
}

/**
 * Runs a command.
 * @returns its output, stdout and stderr
 * @throws Error with the command and its output; AbortError if it was interrupted
 */
export async function runCommand(
	command: string,
	args: string[],
	{ cwd, signal, env }: CommandOptions,
): Promise<string> {
	const child = spawn(command, args, { cwd, signal, env, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
	if (code === 0) return output;
	const end = killedBy === null ? `failed with code ${code}` : `was killed by ${killedBy}`;
	throw new Error(`${command} ${args.join(' ')} ${end}:\n${withoutMiddle(output)}`);
}

function withoutMiddle(text: string): string {
	if (text.length <= 2 * SHOWN) return text;
	return `${text.slice(0, SHOWN)}\n…\n${text.slice(-SHOWN)}`;
}
