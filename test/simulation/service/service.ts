import type { Delivery } from '../../../simulator/delivery';
import { DEFAULTS } from '../../../simulator/options';
import {
	type IncomingRequest,
	type RequestContext,
	RequestHandler,
} from '../../../simulator/requestHandler';
import { html } from '../../../simulator/faults/effects/replace';
import { ALL, type Fault } from '../../../simulator/faults/fault';
import type { Exchange } from './exchange';
import { connectionFailure } from './network';
import { PAGE, type ServicePlan, type ServicePlanInput, servicePlan } from './plan';
import { namedRandom } from './random';
import { type Truth, type TruthRequest, truthOfRequest, truthOfTask } from './truth';
import { videoOf } from './video';

/** True time, which no stepped clock of a host changes. */
export interface WorldClock {
	/** Milliseconds since 1970. */
	now(): number;
	/** @returns a function that cancels it */
	after(ms: number, action: () => void): () => void;
}

const ORIGIN = 'https://service.test';
const FILE_ORIGIN = 'https://files.test';

/** The generation service of one life: the simulator's own request handler, on the clock of the simulation. */
export class Service {
	readonly url = ORIGIN;
	readonly keys: readonly string[];
	readonly plan: ServicePlan;
	readonly truth: Truth = { requests: [], tasks: [], notConnected: [], elsewhere: [] };
	/** Requests on their way. */
	readonly open = new Set<Exchange>();
	readonly now: () => number;
	readonly after: WorldClock['after'];
	private readonly handler: RequestHandler;
	private readonly random: (name: string) => number;
	private readonly startedAt: number;
	/** How often a request went over the network, in both directions. */
	private readonly passed = new Map<string, number>();
	private ids = 0;

	constructor(plan: ServicePlanInput, clock: WorldClock) {
		this.plan = servicePlan.parse(plan);
		const { keys, seed, slowMs, chunkDelayMs, tasks, limits, refusals, faults } = this.plan;
		this.keys = keys;
		this.now = clock.now;
		this.after = clock.after;
		this.startedAt = clock.now();
		this.random = namedRandom(seed);
		this.handler = new RequestHandler(
			{
				...DEFAULTS,
				now: clock.now,
				random: this.random,
				newId: () => this.newId(),
				// Node.js compresses streams in threads, which no virtual clock waits for.
				encodings: [],
				slowMs,
				chunkDelayMs,
				taskPlans: tasks,
				limits,
				refusals,
				...(this.plan.hasFileHost && { fileOrigin: FILE_ORIGIN }),
			},
			async (task) => await Promise.resolve(videoOf(task.id)),
		);
		for (const key of keys) this.handler.keys.add(key);
		for (const fault of faults) this.handler.injections.add(fault, pageFault(fault.fault));
	}

	/** The process of n8n ends: it notices nothing more of its requests. */
	cut(): void {
		for (const exchange of this.open) exchange.giveUp();
	}

	/** One way over the network. */
	latencyMs({ method, path, text }: IncomingRequest): number {
		const [from, to] = this.plan.latencyMs;
		const name = `latency ${method} ${path} ${text}`;
		const passed = this.passed.get(name) ?? 0;
		this.passed.set(name, passed + 1);
		return from + (to - from) * this.random(`${name} ${passed}`);
	}

	/** Why no connection is made to a host now. */
	connectionFailure({ origin, path, headers }: IncomingRequest) {
		const at = this.now();
		const url = origin + path;
		if (origin !== ORIGIN && origin !== FILE_ORIGIN) {
			const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
			this.truth.elsewhere.push({ at, url, headers: Object.fromEntries(sent) });
			return connectionFailure('unknown host');
		}
		const seconds = (at - this.startedAt) / 1000;
		const host = origin === ORIGIN ? 'service' : 'files';
		const down = this.plan.network.find(
			({ host: only = host, fromSeconds = 0, untilSeconds = Infinity }) =>
				only === host && seconds >= fromSeconds && seconds < untilSeconds,
		);
		if (!down) return undefined;
		this.truth.notConnected.push({ at, url, failure: down.failure });
		return connectionFailure(down.failure);
	}

	/** A request has arrived. */
	async serve(
		request: IncomingRequest,
		sentAt: number,
	): Promise<{ truth: TruthRequest; delivery: Delivery; finish: () => void }> {
		const context = this.handler.receive(request);
		const { requests, tasks } = this.truth;
		const truth = truthOfRequest(context, requests.length, sentAt);
		requests.push(truth);
		const delivery = await this.handler.respond(context);
		this.note(truth, context);
		for (const task of context.tasks ?? []) tasks.push(truthOfTask(task, truth.index));
		return { truth, delivery, finish: () => this.handler.finish(context) };
	}

	private note(truth: TruthRequest, context: RequestContext): void {
		truth.accepted = context.accepted;
		truth.tasks = (context.tasks ?? []).map(({ id }) => id);
		truth.fault = context.fault;
		const { exceeded, refused } = context;
		if (exceeded) truth.limit = this.handler.settings.limits.indexOf(exceeded.limit);
		if (refused) truth.refusal = this.handler.settings.refusals.indexOf(refused);
	}

	private newId(): string {
		this.ids += 1;
		return this.ids.toString(16).padStart(24, '0');
	}
}

/** What `page-<status>` stands for: the service receives nothing of the request. */
function pageFault(name: string): Fault | undefined {
	const [, status] = PAGE.exec(name) ?? [];
	if (status === undefined) return undefined;
	return {
		name,
		description: 'a page of another server',
		endpoints: ALL,
		effect: html(Number(status)),
	};
}
