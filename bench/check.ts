import { benchmarks } from './benchmarks/index';
import { number, times } from './report/format';
import { goalText } from './report/page';
import { isMet, readResults } from './report/results';

const { benchmarks: measured } = readResults();

for (const { name, title, goals } of benchmarks) {
	for (const goal of goals) {
		const { figure, peer, of } = goal;
		const found = measured[name]?.comparisons.find(
			(comparison) => comparison.figure === figure && comparison.peer === peer,
		);
		const met = isMet(goal, measured[name]);
		const value = found && (of === 'ratio' ? times(found.ratio) : number(found.ours));
		const verdict = met === undefined ? 'NOT MEASURED' : met ? 'met   ' : 'MISSED';
		process.stdout.write(
			`${verdict}  ${title}: ${figure} compared with ${peer}: ${value ?? '–'}, ${goalText(goal)}\n`,
		);
		if (!met) process.exitCode = 1;
	}
}
