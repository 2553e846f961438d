import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Hunt, Told } from './player';

/** A change may make a scenario run without end. No other takes that long, even on a busy machine. */
const MAX_LIFE_MS = 900_000;

/** Plays mutants in a process of their own, which a change may keep busy: the next one gets another then. */
export class Hunter {
	private player: ChildProcess | undefined;

	async hunt(hunt: Hunt): Promise<Told> {
		const player = (this.player ??= await startPlayer());
		let latest: Told = { scenarios: 0, isOver: false };
		const kill = () => player.kill('SIGKILL');
		let timer = setTimeout(kill, MAX_LIFE_MS);
		const ended = await new Promise<Told | 'killed'>((done, fail) => {
			player.on('message', (told: Told) => {
				clearTimeout(timer);
				latest = told;
				if (told.isOver) done(told);
				else timer = setTimeout(kill, MAX_LIFE_MS);
			});
			player.once('exit', (code, signal) =>
				signal === 'SIGKILL'
					? done('killed')
					: fail(new Error(`The scenarios could not be played: exit code ${code}`)),
			);
			player.send(hunt);
		});
		player.removeAllListeners();
		if (ended !== 'killed') return ended;
		this.player = undefined;
		return { ...latest, promise: 'Ends', how: 'a scenario runs without end' };
	}

	end(): void {
		this.player?.kill();
	}
}

/** @returns a process that has loaded n8n */
async function startPlayer(): Promise<ChildProcess> {
	const player = fork(join(__dirname, 'hunt.ts'), { execArgv: ['--import', 'tsx'] });
	await new Promise((ready) => player.once('message', ready));
	return player;
}
