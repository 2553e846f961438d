import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { itemsOf, runWorkflow } from '../../demo/engine';
import { loadPackage } from '../../demo/loadPackage';
import { coreNodeStubs } from '../../demo/coreNodeStubs';
import { nodeOf } from '../engine/nodeOf';

// A workflow generates videos each hour of a simulated day, with the built package in n8n's engine. The state of the
// process after each batch is written to docs/soak.md.

const ROOT = join(__dirname, '../..');
const BATCHES = 24;
const TASKS = 2_000;
const VIDEOS_PER_ITEM = 2;
/** During a batch the gateway's clock runs this many times faster than real time. */
const FACTOR = 100;
/** After a batch the clock jumps to the next hour. */
const HOUR_MS = 3_600_000;
/** In real time. On the gateway's clock a video takes 100 seconds. */
const VIDEO_SECONDS = 1;

type BuiltGateway = Pick<typeof import('../../gateway'), 'systemClock' | 'later'>;

interface Sample {
	batch: number;
	hour: number;
	tasks: number;
	heapMiB: number;
	rssMiB: number;
	timers: number;
	sockets: number;
}

/** Speeds up the gateway's clock. The returned function advances it. */
function accelerate({ systemClock: clock, later }: BuiltGateway): (ms: number) => void {
	const real = { ...clock };
	const start = real.now();
	const startedAt = real.wallTime();
	let offset = 0;
	clock.now = () => start + (real.now() - start) * FACTOR + offset;
	clock.wallTime = () => later(startedAt, clock.now() - start);
	clock.sleep = async (ms, signal) => await real.sleep(ms / FACTOR, signal);
	clock.after = (ms, action) => real.after(ms / FACTOR, action);
	return (ms) => void (offset += ms);
}

function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
}

function count(resource: string): number {
	return process.getActiveResourcesInfo().filter((name) => name === resource).length;
}

async function main(): Promise<void> {
	const gateway = createRequire(__filename)(join(ROOT, 'dist/gateway/index.js')) as BuiltGateway;
	const { systemClock } = gateway;
	const { nodeTypes } = loadPackage(ROOT);
	const simulator = fork(join(__dirname, 'simulator.ts'), [String(VIDEO_SECONDS)]);
	const [baseUrl] = (await once(simulator, 'message')) as [string];
	const advance = accelerate(gateway);
	const start = systemClock.now();
	const samples: Sample[] = [];
	let tasks = 0;
	for (let batch = 1; batch <= BATCHES; batch += 1) {
		const items = Math.round((TASKS * batch) / BATCHES / VIDEOS_PER_ITEM) - tasks / VIDEOS_PER_ITEM;
		const run = await runWorkflow({
			workflow: {
				nodes: [
					nodeOf('Start', 'n8n-nodes-base.manualTrigger'),
					nodeOf('Video', 'n8n-nodes-generation-service.videoGeneration', {
						model: 'kite-motion',
						// Every tenth prompt has failing polls.
						prompt:
							'={{ "Boat " + $itemIndex + ($itemIndex % 10 ? "" : " [fault:poll-unavailable-twice]") }}',
						options: { n: VIDEOS_PER_ITEM },
						download: true,
					}),
				],
				connections: { Start: { main: [[{ node: 'Video', type: 'main', index: 0 }]] } },
			},
			nodeTypes: { ...nodeTypes, ...coreNodeStubs(ROOT) },
			credentials: { generationServiceApi: { baseUrl, apiKey: 'local-key' } },
			executionId: `soak-${batch}`,
			startNode: 'Start',
			pinData: { Start: Array.from({ length: items }, () => ({ json: {} })) },
		});
		if (run.data.resultData.error) throw run.data.resultData.error;
		const done = itemsOf(run, 'Video');
		tasks += done.filter(({ json, binary }) => json.status === 'completed' && binary).length;
		const hour = (systemClock.now() - start) / HOUR_MS;
		advance((batch - hour) * HOUR_MS);
		// Idle connections close after 15 real seconds, so they stay open during this pause.
		await pause(200);
		await turn();
		collectGarbage();
		const { heapUsed, rss } = process.memoryUsage();
		samples.push({
			batch,
			hour: Math.round((systemClock.now() - start) / HOUR_MS),
			tasks,
			heapMiB: Math.round(heapUsed / 1024 ** 2),
			rssMiB: Math.round(rss / 1024 ** 2),
			timers: count('Timeout'),
			sockets: count('TCPSocketWrap'),
		});
		process.stdout.write(`${JSON.stringify(samples.at(-1))}\n`);
	}
	simulator.kill();
	writeFileSync(join(ROOT, 'docs/soak.md'), page(samples));
}

function page(samples: Sample[]): string {
	const names = ['hour', 'tasks', 'heapMiB', 'rssMiB', 'timers', 'sockets'] as const;
	const rows = samples.map((sample) => `| ${names.map((name) => sample[name]).join(' | ')} |\n`);
	return `# A simulated day

A workflow generates and downloads videos each hour of a simulated day, ${TASKS} in total, two of each prompt. Polls of every tenth
prompt fail. The built package runs in n8n's own engine, the simulator in its own process, and the gateway's clock ${FACTOR} times
faster than real time. The table shows the process after each batch and a garbage collection. \`npm run soak\` measures it
again.

- heap and rss: memory in MiB, n8n's engine included
- timers, sockets: active in the process; the sockets are idle connections of the pool, which close 15 seconds after their
  last use unless the next batch reuses them

| hour | finished tasks | heap | rss | timers | sockets |
| --- | --- | --- | --- | --- | --- |
${rows.join('')}`;
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`${String(error)}\n`);
		process.exit(1);
	},
);
