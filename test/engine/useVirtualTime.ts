import type { Simulator, SimulatorOptions } from '../../simulator';
import { RequestClock } from '../clock/requestClock';
import { useSimulator } from './useServers';

/** The simulator of a test file, in virtual time: `time.until` runs what waits. */
export function useVirtualTime(options: SimulatorOptions = {}): {
	time: RequestClock;
	simulator: Simulator;
} {
	const time = new RequestClock();
	afterAll(() => time.restore());
	return { time, simulator: useSimulator({ now: time.now, ...options }) };
}
