import { benches } from './benchmarks/index';
import { number, times } from './report/format';
import { words } from './report/page';
import { isMet, readResults } from './report/results';

const { benches: measured } = readResults();

for (const { name, what, goals } of benches) {
	for (const goal of goals) {
		const { figure, peer, of } = goal;
		const found = measured[name]?.comparisons.find(
			(comparison) => comparison.figure === figure && comparison.peer === peer,
		);
		const met = isMet(goal, measured[name]);
		const value = found && (of === 'ratio' ? times(found.ratio) : number(found.ours));
		const verdict = met === undefined ? 'NOT MEASURED' : met ? 'met   ' : 'MISSED';
		process.stdout.write(
			`${verdict}  ${what}: ${figure} against ${peer}: ${value ?? '–'}, ${words(goal)}\n`,
		);
		if (!met) process.exitCode = 1;
	}
}
