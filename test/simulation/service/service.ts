import type { Delivery } from '../../../simulator/delivery';
import { type IncomingRequest, RequestHandler } from '../../../simulator/requestHandler';
import { routeOf } from '../../../simulator/routes';
import type { Exchange } from './exchange';
import type { Outage, ServicePlan } from './plan';
import { namedRandom } from '../host/random';
import { FILE_ORIGIN, injectionsOf, settingsOf } from './settings';
import {
	named,
	noteOutcome,
	type Truth,
	type TruthRequest,
	truthOfRequest,
	truthOfTask,
} from './truth';

/** What the service needs of the world. */
export interface ServiceWorld {
	/** The world's time, which no stepped clock of a host changes: milliseconds since 1970. */
	now(): number;
	/** @returns a function that cancels it */
	after(ms: number, action: () => void): () => void;
	/** Of everything that happens at random. */
	seed: number;
	/** What a prompt is called in a plan. Default: the prompt itself. */
	promptName?: (prompt: string) => string;
}

const ORIGIN = 'https://service.test';
/** The same service. */
const ALIAS = 'https://alias.service.test';
/** The part of inline videos that are too large to be kept in memory. */
const LARGE = 0.5;
/** How long the model thinks, from and to. */
const THINKING_MS = [500, 2500] as const;
const WELL: ServicePlan = {
	latencyMs: [300, 300],
	thinkingSeconds: 1,
	tasks: [{ seconds: 30 }],
	limits: [],
	faults: [],
};

/** undici notices its own time limit of 10 seconds up to half a second late. */
const CONNECT_TIMEOUT_MS = 10_500;

function systemError(syscall: string, code: string): Error {
	const host = 'service.test';
	return Object.assign(new Error(`${syscall} ${code} ${host}`), { code, syscall, hostname: host });
}

/** Errors as Node.js and undici have them, each made for its request. */
const FAILURES: Record<Outage['failure'], () => { afterMs: number; error: Error }> = {
	refused: () => ({ afterMs: 1, error: systemError('connect', 'ECONNREFUSED') }),
	'unknown host': () => ({ afterMs: 5, error: systemError('getaddrinfo', 'ENOTFOUND') }),
	'lookup fails': () => ({ afterMs: 5000, error: systemError('getaddrinfo', 'EAI_AGAIN') }),
	unreachable: () => ({ afterMs: 3000, error: systemError('connect', 'EHOSTUNREACH') }),
	silent: () => ({
		afterMs: CONNECT_TIMEOUT_MS,
		error: Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
	}),
	'no TLS': () => ({
		afterMs: 5,
		error: Object.assign(new Error('write EPROTO: wrong version number'), {
			code: 'ERR_SSL_WRONG_VERSION_NUMBER',
		}),
	}),
};

/** The generation service of one scenario: the simulator's own request handler, on the world's clock. */
export class Service {
	readonly url = ORIGIN;
	readonly alias = ALIAS;
	readonly keys = {
		main: 'sk-simulation-0123456789abcdef',
		other: 'sk-other-key-0123456789abcdef',
	};
	readonly truth: Truth = {
		requests: [],
		tasks: new Map(),
		withoutTaskIds: new Set(),
		notConnected: [],
		elsewhere: [],
	};
	/** Requests on their way. */
	readonly open = new Set<Exchange>();
	readonly now: () => number;
	readonly after: ServiceWorld['after'];
	private readonly promptName: (prompt: string) => string;
	private handler: RequestHandler;
	private readonly random: (name: string) => number;
	private readonly startedAt: number;
	/** How often a request went over the network, in both directions. */
	private readonly passed = new Map<string, number>();
	private ids = 0;
	/** Requests that were sent and have not arrived: what a client gives up meanwhile is accepted all the same. */
	arriving = 0;

	constructor(
		private plan: ServicePlan,
		{ now, after, seed, promptName = (prompt) => prompt }: ServiceWorld,
	) {
		this.now = now;
		this.after = after;
		this.startedAt = now();
		this.random = namedRandom(seed);
		this.promptName = promptName;
		this.handler = this.handlerOf(plan);
	}

	private handlerOf(plan: ServicePlan): RequestHandler {
		const { now, random, promptName } = this;
		const handler = new RequestHandler(
			settingsOf(plan, { now, random, promptName, newId: () => this.newId() }),
			async ({ id, inline }) =>
				await Promise.resolve(videoOf(id, inline && random(`large ${id}`) < LARGE)),
		);
		for (const key of Object.values(this.keys)) handler.keys.add(key);
		for (const [injection, fault] of injectionsOf(plan.faults))
			handler.injections.add(injection, fault);
		return handler;
	}

	/** The process of n8n ends: it notices nothing more of its requests. */
	cut(): void {
		for (const exchange of this.open) exchange.giveUp();
	}

	/** From now on nothing fails, nothing is limited, and the network is fast. */
	recover(): void {
		this.plan = WELL;
		this.handler = this.handlerOf(WELL);
	}

	/** One way over the network. */
	latencyMs({ method, path, text }: IncomingRequest): number {
		const name = `latency ${method} ${path} ${text}`;
		const passed = this.passed.get(name) ?? 0;
		this.passed.set(name, passed + 1);
		return this.between(this.plan.latencyMs, `${name} ${passed}`);
	}

	/** How long a connection takes. */
	connectMs({ method, path, text }: IncomingRequest): number {
		const { connectMs } = this.plan;
		if (connectMs === undefined) return 0;
		const name = `connect ${method} ${path} ${text}`;
		return this.between(connectMs, `${name} ${this.passed.get(name) ?? 0}`);
	}

	/** Why no connection is made to a host now. */
	connectionFailure({ origin, method, path, headers }: IncomingRequest) {
		const at = this.now();
		const url = origin + path;
		if (![ORIGIN, ALIAS, FILE_ORIGIN].includes(origin)) {
			const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
			this.truth.elsewhere.push({ at, url, headers: Object.fromEntries(sent) });
			return FAILURES['unknown host']();
		}
		const seconds = (at - this.startedAt) / 1000;
		const host = origin === FILE_ORIGIN ? 'files' : 'service';
		const outage = this.plan.outages?.find(
			({ host: only = host, from = 0, until = Infinity }) =>
				only === host && seconds >= from && seconds < until,
		);
		if (!outage) return undefined;
		const failure = FAILURES[outage.failure]();
		const endedAt = at + failure.afterMs;
		const { endpoint } = routeOf(method, path, '', undefined);
		this.truth.notConnected.push({ at, endedAt, endpoint, url, failure: outage.failure });
		return failure;
	}

	/** A request has arrived. */
	async serve(
		request: IncomingRequest,
		sentAt: number,
	): Promise<{ truth: TruthRequest; delivery: Delivery; workMs: number; finish: () => void }> {
		const { handler } = this;
		const context = handler.receive(request);
		const truth = truthOfRequest(context, sentAt);
		this.truth.requests.push(truth);
		const delivery = await handler.respond(context);
		noteOutcome(truth, context);
		for (const task of named(context.tasks))
			this.truth.tasks.set(task.id, truthOfTask(task, truth.prompt, truth));
		const [task] = context.tasks ?? [];
		if (task && named(context.tasks).length === 0) this.truth.withoutTaskIds.add(task.submissionId);
		const isChat = truth.endpoint === 'chat' && truth.accepted;
		const workMs = isChat
			? this.between(this.thinkingMs, `thinking ${truth.prompt} ${truth.attempt}`)
			: 0;
		return { truth, delivery, workMs, finish: () => handler.finish(context) };
	}

	private get thinkingMs(): readonly [number, number] {
		const { thinkingSeconds: seconds } = this.plan;
		return seconds === undefined ? THINKING_MS : [seconds * 1000, seconds * 1500];
	}

	private between([from, to]: readonly [number, number], name: string): number {
		return from + (to - from) * this.random(name);
	}

	private newId(): string {
		this.ids += 1;
		return this.ids.toString(16).padStart(24, '0');
	}
}

/** The first box of an MP4: what tells a video from a page. */
const FTYP = Buffer.from('000000186674797069736f6d0000020069736f6d6d703431', 'hex');
const SIZE = 256;
/** As base64, more than the nodes keep in memory. */
const LARGE_SIZE = 200 * 1024;

/** The file of a task: small, if it is not to be large, and like no other. */
export function videoOf(taskId: string, isLarge = false): Buffer {
	return Buffer.concat([FTYP, Buffer.from(taskId)], isLarge ? LARGE_SIZE : SIZE);
}
