import * as z from 'zod';
import { servicePlan } from '../service/plan';

/** Seconds of the world's time. */
const seconds = z.number().min(0);

/** How a node gets the prompt of an item. */
const prompt = z.enum([
	/** An expression of the item. */
	'item',
	/** An expression that gives another text at each evaluation. */
	'changing',
	/** The same text for all items, without an expression. */
	'fixed',
	/** A text with an expression of a field that no item has. */
	'missing',
]);

/** How a node sends its requests. */
const sendingOptions = z.object({
	maxConcurrency: z.int().optional(),
	maxRetries: z.int().optional(),
	timeout: z.number().optional(),
});

const settings = {
	/** The name of the node, part of its prompts: A, B or C. */
	name: z.string(),
	model: z.string(),
	onError: z.enum(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']).optional(),
	/** Retry On Fail, with its tries. */
	tries: z.int().optional(),
	executeOnce: z.boolean().optional(),
	alwaysOutputData: z.boolean().optional(),
	options: sendingOptions.optional(),
};

/** Of nodes that bill. */
const billed = {
	/** Max Billable Requests; `nothing`: an expression without a value. */
	maxBillable: z.union([z.int(), z.literal('nothing')]).optional(),
	includeInputFields: z.boolean().optional(),
};

const chat = z.object({
	kind: z.literal('chat'),
	...settings,
	...billed,
	prompt,
	stream: z.boolean().optional(),
	jsonOutput: z.boolean().optional(),
	simplify: z.boolean().optional(),
});

const list = z.object({ kind: z.literal('list'), ...settings });

/** The model of an agent; only there. */
const model = z.object({ kind: z.literal('model'), ...settings });

const video = z.object({
	kind: z.literal('video'),
	...settings,
	...billed,
	/** `get` and `wait` take the task of the node before. */
	operation: z.enum(['generate', 'submit', 'get', 'wait']),
	prompt,
	n: z.int().min(1).max(4).optional(),
	inline: z.boolean().optional(),
	download: z.boolean().optional(),
	/** File Name, an expression of the item. */
	fileName: z.boolean().optional(),
	simplify: z.boolean().optional(),
	wait: z
		.object({
			waitIn: z.enum(['memory', 'database']).optional(),
			pollInterval: z.number().optional(),
			maxWait: z.number().optional(),
			onTimeout: z.enum(['error', 'output']).optional(),
		})
		.optional(),
});

const node = z.discriminatedUnion('kind', [chat, list, model, video]);

const item = z.object({
	/** Several items may have the same one. */
	p: z.string(),
	/** `empty`: no prompt; `throws`: its expression throws. */
	bad: z.enum(['empty', 'throws']).optional(),
	binary: z.boolean().optional(),
});

/** What happens in the world, so many seconds after the start. */
const event = z.discriminatedUnion('what', [
	z.object({ what: z.literal('kill'), at: seconds, down: seconds }),
	z.object({ what: z.literal('suspend'), at: seconds, for: seconds }),
	z.object({ what: z.literal('stepClock'), at: seconds, by: z.number() }),
	z.object({ what: z.literal('stop'), at: seconds }),
	z.object({ what: z.literal('deleteCredential'), at: seconds }),
	/** The credential names another host of the same service. */
	z.object({ what: z.literal('moveService'), at: seconds }),
	z.object({
		what: z.literal('second'),
		at: seconds,
		key: z.enum(['same', 'other']),
		otherModels: z.boolean().optional(),
	}),
]);

/** What the user does when an execution did not succeed: most edit the workflow or the credential first. */
const afterwards = z.enum([
	'retry',
	'retrySaved',
	'again',
	'retryEdited',
	'retryReformatted',
	/** At another host of the same service. */
	'retryMoved',
]);

/** What starts a workflow, where n8n cannot wait in its database; or saves nothing of it. */
export const CALLERS = [
	'chat',
	'lastNode',
	'responseNode',
	'streaming',
	/** A webhook that has its response already. */
	'onReceived',
	'evaluation',
	'new engine',
] as const;

export const scenario = z.object({
	/** Of the random numbers of host and service. */
	seed: z.int(),
	build: z.enum(['undici', 'verified']),
	order: z.enum(['v0', 'v1']),
	shape: z.enum(['sequence', 'branches', 'loop', 'agent', 'subWorkflow']),
	/** How a sub-workflow is called: with all items, once for each, or without waiting for it. */
	call: z.enum(['once', 'each', 'withoutWaiting']).optional(),
	nodes: z.array(node).min(1).max(3),
	items: z.array(item).max(60),
	/** The first node takes the second output of the node before, which has other items at its first one. */
	split: z.boolean().optional(),
	/** A node after all others fails unless the execution is a retry. */
	failsAfter: z.boolean().optional(),
	timeoutWorkflow: seconds.optional(),
	/** Default: a trigger that nobody waits for. */
	caller: z.enum(CALLERS).optional(),
	service: servicePlan,
	events: z.array(event),
	afterwards: z.array(afterwards),
	/** In `found/`: seconds within which all executions end. */
	endsWithin: seconds.optional(),
	/** In `found/`: what it shows, for a maintainer. */
	words: z.string().optional(),
});

export type Scenario = z.infer<typeof scenario>;
export type ScenarioNode = z.infer<typeof node>;
export type ChatNode = z.infer<typeof chat>;
export type VideoNode = z.infer<typeof video>;
export type ScenarioItem = z.infer<typeof item>;
export type ScenarioEvent = z.infer<typeof event>;
