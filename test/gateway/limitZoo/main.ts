import { groups } from './cases';
import { play } from './play';

/** Prints how each limit fares; an argument chooses those whose name contains it. */
async function main(only = ''): Promise<void> {
	for (const [group, { cases }] of Object.entries(groups)) {
		const ratios: number[] = [];
		for (const [name, one] of Object.entries(cases)) {
			if (!name.includes(only) && !group.includes(only)) continue;
			const { ratio, seconds, refused, mostRefused, failed } = await play(one);
			ratios.push(ratio);
			const times = `${ratio.toFixed(2)} (${seconds.toFixed(0)} of ${one.minimum.toFixed(0)} s)`;
			const refusals = `${refused} refused, one ${mostRefused} times, ${failed} failed`;
			process.stdout.write(`${name.padEnd(60)} ${times.padEnd(22)} ${refusals}\n`);
		}
		if (ratios.length === 0) continue;
		const mean = ratios.reduce((sum, ratio) => sum + ratio) / ratios.length;
		const worst = Math.max(...ratios);
		process.stdout.write(`${group}: mean ${mean.toFixed(3)}, worst ${worst.toFixed(2)}\n\n`);
	}
}

void main(process.argv[2]);
