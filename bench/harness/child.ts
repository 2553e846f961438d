import { benchmarks } from '../benchmarks/index';
import type { Command, Measure } from './candidate';
import { handleMessages } from './messages';

const [benchmarkName, candidateName = ''] = process.argv.slice(2);
let measure: Measure | undefined;

handleMessages(async (command: Command) => {
	if ('measure' in command) return await measure?.(command.measure);
	const benchmark = benchmarks.find(({ name }) => name === benchmarkName);
	const candidate = benchmark?.candidates[candidateName];
	if (candidate === undefined) throw new Error(`There is no candidate ${candidateName}`);
	measure = await candidate(command.prepare);
	return undefined;
});
