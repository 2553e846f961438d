import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Endpoint } from '../endpoints';
import { ApiError } from '../apiError';
import { appliesTo, readFaultSpec, type FaultSpec } from './faultSpec';

const MODEL_PREFIX = 'fault-';
const REPEATS_KEPT = 10_000;
const REPEAT_MS = 60_000;

const loose = z.looseObject({
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

/** The faults a request body asks for by its model name and by `[fault:<name>]` in its texts. */
export function faultSpecsIn(body: unknown): FaultSpec[] {
	const { data } = loose.safeParse(body);
	if (!data) return [];
	const text = [data.prompt, ...data.messages.map(({ content }) => content)].join('\n');
	const tagged = [...text.matchAll(/\[fault:([^\]]*)\]/g)].map(([, name = '']) => {
		const order = readFaultSpec(name.trim());
		if (order) return order;
		throw new ApiError(400, 'invalid_request_error', `There is no fault named '${name}'.`);
	});
	const { model } = data;
	const named = isFaultModel(model) ? readFaultSpec(model.slice(MODEL_PREFIX.length)) : undefined;
	return named ? [named, ...tagged] : tagged;
}

/**
 * Counts how often the same request came with a `-once` or `-twice` fault. A minute after its last
 * coming a request is new again, so the same workflow can be run and seen to fail again.
 */
export class Repeats {
	readonly #seen = new Map<string, { count: number; at: number }>();

	/** The first order that spoils a request of this endpoint now. */
	due(orders: readonly FaultSpec[], endpoint: Endpoint, body: unknown, nowMs: number) {
		return orders.find((order) => {
			if (!appliesTo(order, endpoint)) return false;
			if (order.left === Infinity) return true;
			const parts = [endpoint, order.fault.name, JSON.stringify(body)].join('\n');
			return this.#count(createHash('sha256').update(parts).digest('base64'), nowMs) < order.left;
		});
	}

	#count(key: string, nowMs: number): number {
		const before = this.#seen.get(key);
		const count = before && nowMs - before.at < REPEAT_MS ? before.count : 0;
		this.#seen.delete(key);
		this.#seen.set(key, { count: count + 1, at: nowMs });
		const [oldest] = this.#seen.keys();
		if (this.#seen.size > REPEATS_KEPT && oldest !== undefined) this.#seen.delete(oldest);
		return count;
	}

	clear(): void {
		this.#seen.clear();
	}
}

/** A task's own order for one of its polls or its download; uses it up by one. */
export function selectFault(orders: readonly FaultSpec[], endpoint: Endpoint) {
	const order = orders.find((one) => appliesTo(one, endpoint) && one.left > 0);
	if (order) order.left -= 1;
	return order;
}
