import type { Endpoint, Injection } from '../../../simulator';
import type { ModelRecord } from '../../../simulator/catalogue';
import type { Fault } from '../../../simulator/faults/fault';
import { DEFAULTS, type Settings } from '../../../simulator/options';
import type { Limit as SimulatorLimit, LimitRule } from '../../../simulator/rateLimit';
import type { TaskPlan as SimulatorTaskPlan } from '../../../simulator/video/taskPlan';
import { faultNamed } from './faults';
import type { FaultPlan, Limit, ServicePlan, TaskPlan } from './plan';

export const FILE_ORIGIN = 'https://files.test';
/** What the slow fault adds to a response. */
const SLOW_MS = 20_000;
/** Between two events of a stream. */
const CHUNK_DELAY_MS = 20;

/** One endpoint of a plan is two of the simulator: with and without a stream. */
const ENDPOINTS: Record<FaultPlan['endpoint'], ReadonlyArray<Exclude<Endpoint, 'other'>>> = {
	chat: ['chat', 'chatStream'],
	submit: ['submit'],
	poll: ['poll'],
	models: ['models'],
	download: ['download'],
};

const MODELS: readonly ModelRecord[] = ['chat-a', 'chat-b', 'video-a', 'video-b'].map((id) => ({
	id,
	object: 'model',
	created: 1_735_689_600,
	owned_by: 'simulation',
	type: id.startsWith('chat') ? 'text' : 'video',
}));

/** What a model answers to a message. */
export function answerText(
	message: string,
	{ answersJson }: Pick<ServicePlan, 'answersJson'>,
): string {
	const words = `answer to ${message}`;
	return answersJson ? JSON.stringify({ answer: words }) : words;
}

/** The simulator's settings for the service of a scenario. Its clock, its random numbers and ids come from the caller. */
export function settingsOf(
	plan: ServicePlan,
	given: Pick<Settings, 'now' | 'random' | 'newId' | 'promptName'>,
): Settings {
	return {
		...DEFAULTS,
		...given,
		models: MODELS,
		answer: (message) => answerText(message, plan),
		// Node.js compresses streams in threads, which no virtual clock waits for.
		encodings: [],
		slowMs: SLOW_MS,
		chunkDelayMs: CHUNK_DELAY_MS,
		redirectTarget: 'http://login.test',
		taskPlans: plan.tasks.map(taskPlanOf),
		limits: plan.limits.map(limitOf),
		refusals: plan.refused
			? [{ probability: plan.refused, status: 429, retryAfterSeconds: 1 }]
			: [],
		...(plan.hasFileHost && { fileOrigin: FILE_ORIGIN }),
	};
}

const ENDINGS: Record<
	NonNullable<TaskPlan['ending']>,
	(seconds: number) => Partial<SimulatorTaskPlan>
> = {
	completed: () => ({ ending: 'completed' }),
	failed: () => ({ ending: 'failed' }),
	vanished: (seconds) => ({ ending: 'processing forever', vanishesAfterSeconds: seconds }),
	never: () => ({ ending: 'processing forever' }),
};

function taskPlanOf({ ending = 'completed', ...plan }: TaskPlan): SimulatorTaskPlan {
	return { ...plan, ...ENDINGS[ending](plan.seconds) };
}

const RULES: Record<Limit['kind'], (requests: number, windowSeconds: number) => LimitRule> = {
	bucket: (requests, seconds) => ({
		kind: 'bucket',
		burst: requests,
		requestsPerSecond: requests / seconds,
	}),
	fixedWindow: (requests, windowSeconds) => ({ kind: 'fixedWindow', requests, windowSeconds }),
	slidingWindow: (requests, windowSeconds) => ({ kind: 'slidingWindow', requests, windowSeconds }),
	inFlight: (requests) => ({ kind: 'inFlight', requests }),
	tokens: (tokens, windowSeconds) => ({ kind: 'tokens', tokens, windowSeconds }),
};

function limitOf(limit: Limit): SimulatorLimit {
	const { kind, scope, of, requests, seconds = 60, retryAfter, announces, from, until } = limit;
	const endpoints = Object.entries(ENDPOINTS).find(([name]) => name === of)?.[1];
	return {
		...RULES[kind](requests, seconds),
		scope,
		endpoints: scope === 'endpoint' ? endpoints : undefined,
		// A path without a model has no limit of a model.
		models: scope === 'model' ? (of === undefined ? MODELS.map(({ id }) => id) : [of]) : undefined,
		retryAfter,
		announces,
		fromSeconds: from,
		untilSeconds: until,
	};
}

/** The faults of a plan, as the simulator plays them. */
export function injectionsOf(faults: readonly FaultPlan[]): Array<[Injection, Fault]> {
	return faults.flatMap(({ endpoint, fault: name, prompt, attempts, from, until }) => {
		const fault = faultNamed(name);
		if (fault === undefined) throw new Error(`There is no fault ${name}`);
		return ENDPOINTS[endpoint]
			.filter((each) => fault.endpoints.includes(each))
			.map((each): [Injection, Fault] => [
				{ endpoint: each, fault: name, prompt, attempts, fromSeconds: from, untilSeconds: until },
				{ ...fault, name },
			]);
	});
}
