import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/index';
import { handleMessages } from './messages';

/** A message to the process of the simulator. */
export type SimulatorCommand = { start: SimulatorOptions } | 'polls';

let simulator: Simulator | undefined;

handleMessages(async (command: SimulatorCommand) => {
	if (command === 'polls') return simulator?.count('poll') ?? 0;
	simulator = await startSimulator({ requestsKept: 100, ...command.start });
	return { url: simulator.url, key: simulator.key };
});
