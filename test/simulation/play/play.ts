import { VirtualHost } from '../../clock/virtualHost';
import { moveTo } from '../host/install';
import type { Scenario, ScenarioEvent } from '../scenario/schema';
import { itemsOfScenario, unchanging, workflowOfScenario } from '../scenario/workflow';
import { Service } from '../service/service';
import { another } from './edits';

import { N8nServer } from './n8nServer';
import { logTo, openBinaries } from './n8nServices';
import { loadNodes } from './packages';
import { PROBE_AFTER_MS, PROBE_REQUESTS, PROBE_SENT_MS, probeItems, probeWorkflow } from './probe';
import type { Row } from './rows';
import { NodeWatch } from './nodeWatch';
import { Passing } from './passing';
import type { NodeStart, Played, TimelineEntry } from './played';
import { User } from './user';

/** No scenario takes longer, in world time. */
const MAX_DURATION_MS = 8 * 24 * 3600_000;
/** Requests; a scenario that needs more is not judged. */
const MAX_REQUESTS = 5_000;
/** What is left after the last execution ended has this long to go away: the package loads a part of itself a second after its start. */
const SETTLE_MS = 1_500;

/** Plays a scenario from its beginning to its end. */
export async function play(scenario: Scenario): Promise<Played> {
	return await new World(scenario).playOut();
}

class World {
	private readonly host: VirtualHost;
	private readonly start: number;
	private readonly service: Service;
	private readonly server: N8nServer;
	private readonly workflow: ReturnType<typeof workflowOfScenario>;
	private readonly binaries = openBinaries();
	private readonly timeline: TimelineEntry[] = [];
	private readonly starts: NodeStart[] = [];
	private readonly user: User;
	private readonly watch: NodeWatch;
	private readonly time: Passing;
	private readonly stops = new Map<string, number>();
	private readonly kills: number[] = [];
	private readonly suspended: Played['suspended'] = [];
	private files: { left: string[] } = { left: [] };
	private readonly downtimes: Played['downtimes'] = [];
	/** Events of the world that are still to come. */
	private due = 0;
	private unfinished: string | undefined;

	constructor(private readonly scenario: Scenario) {
		this.host = new VirtualHost();
		this.start = this.host.now();
		this.time = new Passing(this.host);
		this.watch = new NodeWatch(this.host, () => this.server.isUp);
		const { now, after } = this.host;
		const { seed, service } = scenario;
		this.service = new Service(service, { now, after, seed, promptName: unchanging });
		this.server = new N8nServer(now, (text, row) => this.noteRow(text, row));
		this.workflow = workflowOfScenario(scenario);
		this.user = new User(scenario, this.workflow, this.server, this.service, (text) =>
			this.note('world', text),
		);
	}

	async playOut(): Promise<Played> {
		moveTo(this.host, this.scenario.seed);
		logTo((level, text) => {
			if (this.server.isUp) this.note('log', `${level}: ${text}`);
		});
		this.startProcess();
		for (const event of this.scenario.events) {
			this.due += 1;
			this.host.after(event.at * 1000, () => {
				this.due -= 1;
				this.happen(event);
			});
		}
		const mode = this.scenario.caller === 'evaluation' ? 'evaluation' : undefined;
		this.server.execute(this.workflow, itemsOfScenario(this.scenario.items), mode);
		await this.run();
		const end = this.host.now();
		const { requests, ...rest } = this.service.truth;
		const truth = { ...rest, requests: [...requests], tasks: new Map(rest.tasks) };
		const rows = [...this.server.rows];
		const timeline = [...this.timeline];
		const timers = await this.settle();
		const listeners = this.unfinished === undefined ? this.watch.listenersLeft : 0;
		const left = { timers, files: this.files.left, listeners, held: await this.probe() };
		const { keys } = this.service;
		return {
			scenario: this.scenario,
			start: this.start,
			end,
			downtimes: this.downtimes,
			truth,
			rows,
			log: timeline.filter(({ who }) => who === 'log'),
			timeline,
			binaries: this.binaries,
			keys: Object.values(keys),
			thrown: this.watch.thrown,
			starts: this.starts,
			tries: this.watch.tries,
			stops: this.stops,
			kills: this.kills,
			suspended: this.suspended,
			left,
			unfinished: this.unfinished,
		};
	}

	/** Time passes until nothing more is to happen. */
	private async run(): Promise<void> {
		for (;;) {
			await this.time.quiet();
			if (!this.server.isBusy && !this.user.goOn()) {
				if (this.due === 0 && this.service.arriving === 0) return;
			}
			await this.time.quiet();
			if (this.service.truth.requests.length > MAX_REQUESTS)
				return this.giveUp('too many requests');
			if (this.host.now() - this.start > MAX_DURATION_MS) return this.giveUp('too long');
			if (!this.host.step()) return this.giveUp('nothing is left to happen');
		}
	}

	/** @returns the timers of the process that are left, but for n8n's own sweep */
	private async settle(): Promise<number> {
		if (this.unfinished !== undefined) return 0;
		await this.time.advanceUntil(this.host.now() + SETTLE_MS, () => this.host.timersLeft > 1);
		return this.server.isUp ? this.host.timersLeft - 1 : 0;
	}

	/** The service is well again, and all pauses are over: a last execution finds everything free. */
	private async probe(): Promise<string | undefined> {
		if (this.unfinished !== undefined || !this.server.isUp) return undefined;
		await this.time.pass(PROBE_AFTER_MS);
		this.service.recover();
		this.user.restoreCredentials();
		const before = this.service.truth.requests.length;
		this.server.execute(probeWorkflow(this.scenario), probeItems());
		await this.time.pass(PROBE_SENT_MS);
		const sent = this.service.truth.requests
			.slice(before)
			.filter(({ endpoint }) => endpoint !== 'poll');
		const late = PROBE_REQUESTS - sent.length;
		return late > 0 ? `${late} of ${PROBE_REQUESTS} requests are not sent at once` : undefined;
	}

	private giveUp(why: string): void {
		this.unfinished = why;
	}

	private startProcess(): void {
		this.host.startProcess();
		const { nodeTypes, files } = loadNodes(this.scenario.build, this.service, (node) =>
			this.watch.watch(node),
		);
		this.files = files;
		this.server.start({
			nodeTypes,
			credentials: (_, name) => this.user.credentials[name],
			onNodeStart: (id, node) => {
				if (!this.isOurs(node)) return;
				this.starts.push({ at: this.host.now(), execution: id, node });
				this.note('n8n', `execution ${id}: ${node} starts`);
			},
			onNodeEnd: (id, node, error) =>
				this.isOurs(node) &&
				this.note(
					'n8n',
					`execution ${id}: ${node} ends${error === undefined ? '' : `: ${error.message}`}`,
				),
		});
	}

	private isOurs(node: string): boolean {
		return this.scenario.nodes.some(({ name }) => name === node);
	}

	private happen(event: ScenarioEvent): void {
		const { what } = event;
		if (what === 'second') {
			this.note(
				'world',
				`another execution starts, with ${event.key === 'same' ? 'the same' : 'another'} key`,
			);
			const workflow = another(this.workflow, event);
			if (this.server.isUp) this.server.execute(workflow, itemsOfScenario(this.scenario.items));
		} else if (what === 'kill') {
			if (!this.server.isUp) return;
			this.note('world', `n8n is killed, for ${event.down} s`);
			this.kills.push(this.host.now());
			this.watch.forget();
			this.server.kill();
			this.host.killProcess();
			this.service.cut();
			const from = this.host.now();
			this.downtimes.push({ from, to: from + event.down * 1000 });
			this.due += 1;
			this.host.after(event.down * 1000 + 1, () => {
				this.due -= 1;
				this.note('world', 'n8n starts');
				this.startProcess();
			});
		} else if (what === 'suspend') {
			this.note('world', `the host sleeps for ${event.for} s`);
			this.suspended.push({ at: this.host.now(), ms: event.for * 1000 });
			this.host.suspend(event.for * 1000);
		} else if (what === 'stepClock') {
			this.note('world', `the wall clock is set by ${event.by} s`);
			this.host.stepWallClock(event.by * 1000);
		} else if (what === 'deleteCredential') {
			this.user.deleteCredentials();
		} else if (what === 'moveService') {
			this.user.moveService();
		} else {
			for (const row of this.server.rows) {
				if ((row.status !== 'running' && row.status !== 'waiting') || !this.server.isUp) continue;
				this.note('world', `Stop of execution ${row.id}`);
				this.stops.set(row.id, this.host.now());
				this.server.stop(row);
			}
		}
	}

	private noteRow(text: string, row: Row): void {
		const until = text === 'waits' ? ` until ${new Date(row.waitTill ?? 0).toISOString()}` : '';
		this.note(
			'n8n',
			`execution ${row.id}${row.retryOf === undefined ? '' : ` (retry of ${row.retryOf})`}: ${text}${until}`,
		);
	}

	private note(who: TimelineEntry['who'], text: string): void {
		this.timeline.push({ at: this.host.now(), who, text });
	}
}
