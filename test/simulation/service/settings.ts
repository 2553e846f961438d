import type { Endpoint, Injection } from '../../../simulator';
import type { ModelRecord } from '../../../simulator/catalogue';
import { handled } from '../../../simulator/faults/effects/damage';
import { html, htmlResponse } from '../../../simulator/faults/effects/replace';
import { ALL, type Effect, type Fault } from '../../../simulator/faults/fault';
import { readFaultSpec } from '../../../simulator/faults/faultSpec';
import { DEFAULTS, type Settings } from '../../../simulator/options';
import type { Limit as SimulatorLimit, LimitRule } from '../../../simulator/rateLimit';
import type { TaskPlan as SimulatorTaskPlan } from '../../../simulator/video/taskPlan';
import { answerText, failedWithError, failedWithText, toolCalls } from './answers';
import { echo } from './echoes';
import * as effects from './effects';
import { endpointsOf } from './formNames';
import { OWN_FORMS } from './forms';
import * as refusals from './refusals';
import { FAULTS, type FaultPlan, type Limit, type ServicePlan, type TaskPlan } from './plan';

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

/** The models whose names have a date, and one that only seems to. */
export const VERSIONS: Readonly<Record<string, { of: string; date: string }>> = {
	'chat-b@20250620': { of: 'chat-b', date: '2025-06-20' },
	'chat-b-20250815': { of: 'chat-b', date: '2025-08-15' },
};

export const MODELS: readonly ModelRecord[] = [
	...['chat-a', 'chat-b', 'video-a', 'video-b'],
	...Object.keys(VERSIONS),
	'video-c-20251340',
].map((id) => ({
	id,
	object: 'model',
	created: 1_735_689_600,
	owned_by: 'simulation',
	type: id.startsWith('chat') ? 'text' : 'video',
}));

/** The simulator's settings for the service of a scenario. Its clock, its random numbers and ids come from the caller. */
export function settingsOf(
	plan: ServicePlan,
	given: Pick<Settings, 'now' | 'random' | 'newId' | 'promptName'> &
		Partial<Pick<Settings, 'pathPrefix'>>,
): Settings {
	return {
		...DEFAULTS,
		...given,
		models: MODELS,
		answer: (message) => answerText(message, plan.answers),
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

const page = (status: number): Effect => html(status);

function fromTable(name: string): Effect {
	const spec = readFaultSpec(name);
	if (!spec) throw new Error(`The simulator has no fault '${name}'.`);
	return spec.fault.effect;
}

const EFFECTS: Record<(typeof FAULTS)[number], Effect> = {
	lost: fromTable('lost'),
	reset: fromTable('reset'),
	stall: fromTable('hang'),
	'stall-inside': fromTable('hang-inside'),
	cut: fromTable('reset-inside'),
	'status-500': fromTable('internal-error'),
	'status-502': fromTable('bad-gateway'),
	'status-503': fromTable('unavailable'),
	'status-429': fromTable('rate-limit'),
	'status-403': fromTable('quota-not-enough'),
	'status-400': fromTable('invalid-request'),
	'page-502': page(502),
	// A gateway gives up waiting; the service does its work all the same.
	'page-504': handled(htmlResponse(504)),
	'page-404': page(404),
	'page-403': page(403),
	'page-407': page(407),
	'page-200': page(200),
	'bad-gzip': fromTable('bad-gzip'),
	'cut-gzip': fromTable('cut-gzip'),
	'handled-502': handled(htmlResponse(502)),
	'echo-key': fromTable('echo-key-general'),
	'task-echo-key': fromTable('task-failed-echo-key'),
	'redirect-303': effects.seeOther,
	'stall-429': effects.stalledRefusal,
	pings: effects.pings,
	'error-beside-choices': effects.errorBesideChoices,
	'empty-finish-cut': effects.emptyFinishCut,
	'keep-alive-events': effects.keepAliveEvents,
	redirect: fromTable('redirect-302'),
	slow: fromTable('slow-response'),
	'too-large': refusals.tooLarge(2),
	'too-large-20': refusals.tooLarge(20),
	'should-not-retry': refusals.shouldNotRetry,
	'quota-429': refusals.quotaAs429,
	'quota-403-later': refusals.quotaLater,
	'quota-429-later': refusals.quota429Later,
	'retry-after-unix': refusals.retryAfterUnixTime,
	'wait-429': refusals.waits(429),
	'wait-503': refusals.waits(503),
	'page-408': handled(htmlResponse(408)),
	'page-524': handled(htmlResponse(524)),
	// exchange.ts makes another failure of it.
	'lost-route': fromTable('lost'),
	'long-code': refusals.longCode,
	'error-text': effects.errorText,
	'error-event': effects.errorEvent,
	'error-finish': effects.errorFinish,
	'error-empty': effects.errorEmpty,
	'running-usage': effects.runningUsage,
	labels: effects.labels,
	echo: echo({ before: 0 }),
	'content-parts': effects.contentParts,
	'tool-calls': toolCalls,
	'task-error': failedWithError,
	'task-text': failedWithText,
	'models-names': effects.modelNames,
	'models-bare': effects.bareModels,
};

function effectOf(name: FaultPlan['fault']): Effect {
	const effects: Partial<Record<string, Effect>> = { ...OWN_FORMS, ...EFFECTS };
	return effects[name] ?? fromTable(name);
}

/** The faults of a plan, as the simulator plays them. */
export function injectionsOf(faults: readonly FaultPlan[]): Array<[Injection, Fault]> {
	return faults.flatMap(({ endpoint, fault: name, prompt, attempts, from, until, echo: form }) =>
		(endpointsOf(name) ?? ENDPOINTS[endpoint]).map((each): [Injection, Fault] => {
			const effect = form === undefined ? effectOf(name) : echo(form);
			return [
				{ endpoint: each, fault: name, prompt, attempts, fromSeconds: from, untilSeconds: until },
				{ name, description: 'a fault of a scenario', endpoints: ALL, effect },
			];
		}),
	);
}
