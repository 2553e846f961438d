import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../harness/paths';

interface CpuProfile {
	nodes: Array<{
		id: number;
		callFrame: { functionName: string; url: string; lineNumber: number };
	}>;
	samples: number[];
	timeDeltas: number[];
}

/** The functions with the most self time, one per line: share, name, location. */
export function hotSpots(file: string, count: number): string[] {
	const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
	const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
	const times = new Map<string, number>();
	let total = 0;
	samples.forEach((id, index) => {
		const name = names.get(id) ?? '';
		if (name === '(idle)') return;
		const time = timeDeltas[index] ?? 0;
		total += time;
		times.set(name, (times.get(name) ?? 0) + time);
	});
	return [...times]
		.sort(([, a], [, b]) => b - a)
		.slice(0, count)
		.map(([name, time]) => `${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']) {
	const location = url.replace('file://', '');
	if (location === '') return functionName;
	const file = location.startsWith('/') ? relative(ROOT, location) : location;
	return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`;
}
