import type { Fault } from './fault';
import { intermediaries } from './intermediaries';
import { malformedBodies } from './malformedBodies';
import { rateLimits } from './rateLimits';
import { statuses } from './statuses';
import { streams } from './streams';
import { tasks } from './tasks';
import { transport } from './transport';

/** Every fault of the simulator. `npm run simulator -- --faults` and the tests use this table. */
export const FAULTS: readonly Fault[] = [
	...statuses,
	...rateLimits,
	...intermediaries,
	...transport,
	...malformedBodies,
	...streams,
	...tasks,
];
