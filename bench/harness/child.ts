import type { Measure, Stage } from '../benchmark';
import { benches } from '../benchmarks/index';
import { answer } from './messages';

/** What the process of a contestant is told. */
export type Task = { prepare: Stage } | { measure: number };

const [benchName, contestantName = ''] = process.argv.slice(2);
let measure: Measure | undefined;

answer(async (task: Task) => {
	if ('measure' in task) return await measure?.(task.measure);
	const bench = benches.find(({ name }) => name === benchName);
	const contestant = bench?.contestants[contestantName];
	if (contestant === undefined) throw new Error(`Nobody is called ${contestantName} here`);
	measure = await contestant(task.prepare);
	return undefined;
});
