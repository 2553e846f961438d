import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { CHILD } from './build';
import { AUTHORITY } from './certificate';
import type { Command, Sample, Target } from './candidate';
import { medians } from './measure';
import { request } from './messages';
import { PROFILES, ROOT } from './paths';
import { type Service, type ServiceOptions, startService } from './service';

export interface RunOptions {
	/** How often each candidate is measured in each of its processes; the median counts. */
	repetitions: number;
	/** In so many processes, one after the other: the order in which V8 compiles code differs between them. Default 1. */
	processes?: number;
	/** How often each candidate runs before; default 1. */
	warmUps?: number;
	/** Passed to the candidates; default 0. */
	size?: number;
	/** Whether each repetition runs in a new process; otherwise each candidate keeps its process. */
	fresh?: boolean;
	/** Wraps each measurement, to add figures to its sample. */
	wrap?: (measure: () => Promise<Sample>) => Promise<Sample>;
}

/** Runs the candidates of a benchmark in turns, each in its own process. */
export class Runner {
	private readonly services: Service[] = [];
	private readonly running = new Map<string, ChildProcess>();

	constructor(
		private readonly benchmark: { name: string },
		private readonly profile: boolean,
	) {}

	async service(options: ServiceOptions = {}): Promise<Service> {
		const service = await startService(options);
		this.services.push(service);
		return service;
	}

	/**
	 * The median sample of each candidate; of several processes, the median of theirs. They take turns, so that a disturbance of
	 * the machine affects all of them.
	 */
	async measure<Name extends string>(
		names: readonly Name[],
		target: Target,
		{ processes = 1, ...options }: RunOptions,
	): Promise<Record<Name, Sample>> {
		const samples: Array<Record<Name, Sample>> = [];
		while (samples.length < processes) {
			if (processes > 1) await this.endProcesses();
			samples.push(await this.measureOnce(names, target, options));
		}
		const ofAll = (name: Name) => [name, medians(samples.map((sample) => sample[name]))];
		return Object.fromEntries(names.map(ofAll)) as Record<Name, Sample>;
	}

	private async measureOnce<Name extends string>(
		names: readonly Name[],
		target: Target,
		options: RunOptions,
	): Promise<Record<Name, Sample>> {
		const { repetitions, warmUps = 1, size = 0, fresh = false } = options;
		const { wrap = async (measure) => await measure() } = options;
		const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
		for (let round = fresh ? 0 : -warmUps; round < repetitions; round += 1) {
			for (const name of names) {
				const child = await this.candidate(name, target);
				const measure = async () =>
					await request<Sample>(child, { measure: size } satisfies Command);
				for (let warmUp = 0; fresh && warmUp < warmUps; warmUp += 1) await measure();
				const sample = round < 0 ? await measure() : await wrap(measure);
				if (round >= 0) samples.get(name)?.push(sample);
				if (fresh) await this.endProcess(name);
			}
		}
		return Object.fromEntries([...samples].map(([name, all]) => [name, medians(all)])) as Record<
			Name,
			Sample
		>;
	}

	/** The next measurement starts new processes. */
	async endProcesses(): Promise<void> {
		for (const name of [...this.running.keys()]) await this.endProcess(name);
	}

	async end(): Promise<void> {
		await this.endProcesses();
		for (const service of this.services.splice(0)) service.close();
	}

	private async candidate(name: string, { url, key }: Target): Promise<ChildProcess> {
		const known = this.running.get(name);
		if (known !== undefined) return known;
		const child = fork(CHILD, [this.benchmark.name, name], {
			cwd: ROOT,
			execArgv: [
				'--expose-gc',
				...(this.profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : []),
				...(this.profile ? [`--cpu-prof-name=${this.benchmark.name}-${name}.cpuprofile`] : []),
			],
			env: { ...process.env, NODE_EXTRA_CA_CERTS: AUTHORITY, NODE_ENV: 'production' },
		});
		this.running.set(name, child);
		await request(child, { prepare: { url, key } } satisfies Command);
		return child;
	}

	private async endProcess(name: string): Promise<void> {
		const child = this.running.get(name);
		this.running.delete(name);
		if (child?.connected !== true) return;
		child.disconnect();
		await once(child, 'exit');
	}
}
