import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { limitCpu } from './limitedChild';
import { type Mutant, SECONDS, told, type Verdict } from './mutant';

/** A mutant may make a scenario run without end. No other takes that much CPU time. */
const SCENARIO_SECONDS = 60;

interface Player {
	child: ChildProcess;
	/** The limit of CPU time begins anew. */
	goOn: () => void;
}

/** Plays mutants in a process of their own, which a mutant may keep busy or end: the next one gets another then. */
export class Simulation {
	private player: Player | undefined;

	/** @returns the scenario that breaks a promise, and whether scenarios execute the mutant at all */
	async play({ id }: Mutant): Promise<Verdict> {
		const player = (this.player ??= await startPlayer());
		player.child.send(id);
		const ended = await answerOf(player);
		if (typeof ended !== 'string') return ended;
		this.player = undefined;
		const found = { seed: 0, promise: ended, seconds: SECONDS };
		return { isReached: true, found };
	}

	end(): void {
		this.player?.child.kill();
	}
}

/** Loads n8n. The first one records what the scenarios execute without a mutant. */
async function startPlayer(): Promise<Player> {
	const child = fork(join(__dirname, 'player.ts'), { execArgv: ['--import', 'tsx'] });
	const player = { child, goOn: limitCpu(child, SCENARIO_SECONDS) };
	const ended = await answerOf(player);
	if (typeof ended === 'string') throw new Error(`The player ${ended}`);
	return player;
}

async function answerOf({ child, goOn }: Player): Promise<Verdict | string> {
	return await new Promise((resolve) => {
		const done = (answer: Verdict | string) => {
			child.off('message', onMessage).off('exit', onExit);
			resolve(answer);
		};
		const onMessage = (message: unknown) => {
			goOn();
			const { verdict } = told.parse(message);
			if (verdict) done(verdict);
		};
		const onExit = (_: unknown, signal: string | null) =>
			done(signal === 'SIGKILL' ? 'runs without end' : "ends n8n's process");
		child.on('message', onMessage).on('exit', onExit);
	});
}
