import type { Simulator, SimulatorOptions } from '../../simulator';
import { RequestClock } from '../clock/requestClock';
import { type NodeResult, type NodeRun, runNode } from './runNode';
import { useSimulator } from './useServers';

/** The simulator of a test file, in virtual time: `runNode` runs a node with it, `time.until` whatever else waits. */
export function useVirtualTime(options: SimulatorOptions = {}): {
	time: RequestClock;
	simulator: Simulator;
	runNode: (run: NodeRun) => Promise<NodeResult>;
} {
	const time = new RequestClock();
	afterAll(() => time.restore());
	const simulator = useSimulator({ now: time.now, after: time.after, ...options });
	return { time, simulator, runNode: async (run) => await time.until(runNode(simulator, run)) };
}
