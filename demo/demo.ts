import { readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { inspect, parseArgs, styleText } from 'node:util';
import { startSimulator } from '../simulator';
import { loadPackage } from './loadPackage';
import { withSpinner } from './progress';
import { print } from './report';
import { type Scene, SCENES } from './scenes';
import { DemoFailure, OUTPUT, ROOT, Stage } from './stage';

const USAGE = `npm run demo -- [options]

Plays scenes in n8n's engine against the simulated service. Each shows a promise of the nodes. Some are workflows of
examples/, with stubs of n8n's own nodes: npm run n8n has all of them, and n8n itself.

  --verbose   print what each node gives
  --help      print this and exit
`;

/** Slow enough to see a stream arrive and the progress of a video. */
const PACE = { videoSeconds: 2, chunkDelayMs: 20, latencyMs: 50 };

const WIDTH = Math.max(...SCENES.map(({ when }) => when.length));

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean', default: false },
			verbose: { type: 'boolean', default: false },
		},
	});
	if (values.help) return print(USAGE);
	await rm(OUTPUT, { recursive: true, force: true });
	const simulator = await startSimulator(PACE);
	try {
		const stage = new Stage(simulator, loadPackage(ROOT), values.verbose);
		for (const scene of SCENES) await play(scene, stage, values.verbose);
	} finally {
		await simulator.close();
	}
	await listFiles();
	print('\nNext: npm run n8n, a real n8n with these nodes and the simulated service.');
}

async function play({ when, then, play: work }: Scene, stage: Stage, isVerbose: boolean) {
	const startedAt = performance.now();
	const line = `${when.padEnd(WIDTH)} → ${then}`;
	const playing = work(stage).catch((error: unknown) => {
		const reason = error instanceof DemoFailure ? error.message : inspect(error);
		throw new DemoFailure(`✗ ${line}: no\n${reason}`);
	});
	await (isVerbose ? playing : withSpinner(when, playing));
	const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
	print(`${styleText('green', '✓')} ${line}  ${styleText('dim', `${seconds} s`)}`);
}

async function listFiles(): Promise<void> {
	print(`\nThe videos are in ${relative(process.cwd(), OUTPUT)}:`);
	const files = await readdir(OUTPUT);
	for (const file of files.filter((name) => name.endsWith('.mp4'))) {
		const { size } = await stat(join(OUTPUT, file));
		print(`  ${file}  ${Math.round(size / 1024)} kB`);
	}
}

main().catch((error: unknown) => {
	const text = error instanceof DemoFailure ? error.message : inspect(error);
	process.stderr.write(`${text}\n`);
	process.exitCode = 1;
});
