import { randomUUID } from 'node:crypto';
import { Gateway, type GatewayOptions, parseCredential } from '../../gateway';
import { readSendingOptions } from '../../nodes/shared/form/sharedProperties';
import { VirtualClock } from '../clock/virtualClock';
import type { Rule } from './limitScenarios/rules';
import {
	type LimitedRequest,
	ScenarioService,
	type ServiceOptions,
} from './limitScenarios/scenarioService';

/** A service with these limits, and nodes that use it with one key, unless they have their own. */
export function serviceWith(
	ruleOf: (request: LimitedRequest) => Rule | undefined,
	more: Partial<ServiceOptions> = {},
) {
	const clock = new VirtualClock();
	const service = new ScenarioService(clock, {
		random: () => 0.5,
		ruleOf,
		latencyMs: 20,
		jitter: 0,
		workMs: 1_000,
		videoMs: 60_000,
		status: 429,
		saysRetryAfter: true,
		...more,
	});
	const sharedKey = randomUUID();
	const node = (maxConcurrency = 10, lent: Partial<GatewayOptions> = {}, apiKey = sharedKey) =>
		new Gateway(parseCredential({ baseUrl: 'http://limited.test', apiKey }), {
			...readSendingOptions({}),
			maxConcurrency,
			clock,
			transport: service.transport,
			...lent,
		});
	const seconds = async <Result>(work: Promise<Result>) => {
		const start = clock.now();
		return await work.then((result) => ({ result, took: (clock.now() - start) / 1_000 }));
	};
	return { clock, service, node, seconds };
}

export const chat = async (gateway: Gateway, model = 'heron-chat', signal?: AbortSignal) =>
	await gateway.chat({ model, messages: [{ role: 'user', content: 'Hi' }] }, signal);

export const chats = (gateway: Gateway, count: number, model?: string) =>
	Array.from({ length: count }, async () => await chat(gateway, model));
