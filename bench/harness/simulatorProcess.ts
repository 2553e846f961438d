import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/index';
import { answer } from './messages';

/** What the process of the simulator is asked. */
export type Question = { start: SimulatorOptions } | 'connections' | 'polls';

let simulator: Simulator | undefined;

answer(async (question: Question) => {
	if (question === 'connections') return simulator?.connections ?? 0;
	if (question === 'polls') return simulator?.count('poll') ?? 0;
	simulator = await startSimulator({ requestsKept: 100, ...question.start });
	return { url: simulator.url, key: simulator.key };
});
