import type { Fault } from './fault';
import { inBetween } from './inBetween';
import { malformedBodies } from './malformedBodies';
import { rateLimits } from './rateLimits';
import { statuses } from './statuses';
import { streams } from './streams';
import { tasks } from './tasks';
import { transport } from './transport';

/** Every fault the simulator can play; help texts, the read-me and tests are made from it. */
export const FAULTS: readonly Fault[] = [
	...statuses,
	...rateLimits,
	...inBetween,
	...transport,
	...malformedBodies,
	...streams,
	...tasks,
];
