import { benches } from '../benchmarks/index';
import type { Measure, Task } from './contestant';
import { answer } from './messages';

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
