import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Endpoint } from '../endpoints';
import { ApiError } from '../apiError';
import { appliesTo, readFaultSpec, type FaultSpec } from './faultSpec';

const MODEL_PREFIX = 'fault-';
const MAX_REQUESTS = 10_000;
const FORGET_AFTER_MS = 60_000;

const bodySchema = z.looseObject({
	model: z.string().catch(''),
	prompt: z.string().catch(''),
	messages: z
		.array(z.looseObject({ content: z.string().catch('') }).catch({ content: '' }))
		.catch([]),
});

/** Whether a model name is `fault-<name>` with a name that exists. */
export function isFaultModel(id: string): boolean {
	return id.startsWith(MODEL_PREFIX) && readFaultSpec(id.slice(MODEL_PREFIX.length)) !== undefined;
}

/** The faults that a request body asks for, by its model and by `[fault:<name>]` in its texts. */
export function faultSpecsIn(body: unknown): FaultSpec[] {
	const { data } = bodySchema.safeParse(body);
	if (!data) return [];
	const text = [data.prompt, ...data.messages.map(({ content }) => content)].join('\n');
	const tagged = [...text.matchAll(/\[fault:([^\]]*)\]/g)].map(([, name = '']) => {
		const spec = readFaultSpec(name.trim());
		if (spec) return spec;
		throw new ApiError(400, 'invalid_request_error', `There is no fault named '${name}'.`);
	});
	const { model } = data;
	const named = isFaultModel(model) ? readFaultSpec(model.slice(MODEL_PREFIX.length)) : undefined;
	return named ? [named, ...tagged] : tagged;
}

/**
 * Counts how often the same request was received with a `-once` or `-twice` fault. After a minute it counts from
 * zero, so that the same workflow can be run again and fails again.
 */
export class RepeatCounter {
	readonly #received = new Map<string, { count: number; at: number }>();

	/** The first fault that is played on this request. */
	select(specs: readonly FaultSpec[], endpoint: Endpoint, body: unknown, nowMs: number) {
		return specs.find((spec) => {
			if (!appliesTo(spec, endpoint)) return false;
			if (spec.remaining === Infinity) return true;
			const parts = [endpoint, spec.fault.name, JSON.stringify(body)].join('\n');
			return (
				this.#count(createHash('sha256').update(parts).digest('base64'), nowMs) < spec.remaining
			);
		});
	}

	#count(key: string, nowMs: number): number {
		const previous = this.#received.get(key);
		const count = previous && nowMs - previous.at < FORGET_AFTER_MS ? previous.count : 0;
		this.#received.delete(key);
		this.#received.set(key, { count: count + 1, at: nowMs });
		const [oldest] = this.#received.keys();
		if (this.#received.size > MAX_REQUESTS && oldest !== undefined) this.#received.delete(oldest);
		return count;
	}

	clear(): void {
		this.#received.clear();
	}
}

/** The fault that a task has for a poll or its download; counts as played once. */
export function selectFault(specs: readonly FaultSpec[], endpoint: Endpoint) {
	const spec = specs.find((one) => appliesTo(one, endpoint) && one.remaining > 0);
	if (spec) spec.remaining -= 1;
	return spec;
}
