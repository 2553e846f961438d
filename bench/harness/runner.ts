import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { CHILD } from './build';
import { AUTHORITY } from './certificate';
import type { Sample, Stage, Task } from './contestant';
import { medians } from './measure';
import { ask } from './messages';
import { PROFILES, ROOT } from './places';
import { type Service, type ServiceOptions, startService } from './service';

export interface Rules {
	/** How often each is measured; the median counts. */
	repetitions: number;
	/** How often each runs before that; default once. */
	warmUps?: number;
	/** Handed to those who measure; default 0. */
	size?: number;
	/** Whether each repetition gets a new process; otherwise each contestant keeps one for all. */
	fresh?: boolean;
	/** Runs around each measurement and adds to its sample. */
	watch?: (measure: () => Promise<Sample>) => Promise<Sample>;
}

/** Lets the contestants of a bench measure in turns, each in a process of its own. */
export class Runner {
	private readonly services: Service[] = [];
	private readonly running = new Map<string, ChildProcess>();

	constructor(
		private readonly bench: { name: string },
		private readonly profile: boolean,
	) {}

	async service(options: ServiceOptions = {}): Promise<Service> {
		const service = await startService(options);
		this.services.push(service);
		return service;
	}

	/** The median sample of each contestant. They take turns, so that a disturbance of the machine meets all. */
	async measure<Name extends string>(
		names: readonly Name[],
		stage: Stage,
		rules: Rules,
	): Promise<Record<Name, Sample>> {
		const { repetitions, warmUps = 1, size = 0, fresh = false } = rules;
		const { watch = async (measure) => await measure() } = rules;
		const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
		for (let round = fresh ? 0 : -warmUps; round < repetitions; round += 1) {
			for (const name of names) {
				const child = await this.contestant(name, stage);
				const measure = async () => await ask<Sample>(child, { measure: size } satisfies Task);
				for (let warmUp = 0; fresh && warmUp < warmUps; warmUp += 1) await measure();
				const sample = round < 0 ? await measure() : await watch(measure);
				if (round >= 0) samples.get(name)?.push(sample);
				if (fresh) await this.dismiss(name);
			}
		}
		return Object.fromEntries(
			[...samples].map(([name, taken]) => [name, medians(taken)]),
		) as Record<Name, Sample>;
	}

	/** What is measured next runs in new processes. */
	async dismissAll(): Promise<void> {
		for (const name of [...this.running.keys()]) await this.dismiss(name);
	}

	async end(): Promise<void> {
		await this.dismissAll();
		for (const service of this.services.splice(0)) service.close();
	}

	private async contestant(name: string, { url, key }: Stage): Promise<ChildProcess> {
		const known = this.running.get(name);
		if (known !== undefined) return known;
		const child = fork(CHILD, [this.bench.name, name], {
			cwd: ROOT,
			execArgv: [
				'--expose-gc',
				...(this.profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : []),
				...(this.profile ? [`--cpu-prof-name=${this.bench.name}-${name}.cpuprofile`] : []),
			],
			env: { ...process.env, NODE_EXTRA_CA_CERTS: AUTHORITY, NODE_ENV: 'production' },
		});
		this.running.set(name, child);
		await ask(child, { prepare: { url, key } } satisfies Task);
		return child;
	}

	private async dismiss(name: string): Promise<void> {
		const child = this.running.get(name);
		this.running.delete(name);
		if (child?.connected !== true) return;
		child.disconnect();
		await once(child, 'exit');
	}
}
