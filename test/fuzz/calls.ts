import fc from 'fast-check';
import type { Gateway } from '../../gateway';

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** Every method of the gateway. */
export const CALLS: Record<string, (gateway: Gateway) => Promise<unknown>> = {
	chat: async (gateway) => await gateway.chat(chat),
	stream: async (gateway) => await gateway.chat(chat, undefined, () => {}),
	models: async (gateway) => await gateway.listModels(),
	submit: async (gateway) => await gateway.submitVideo({ model: 'm', prompt: 'p' }),
	task: async (gateway) => await gateway.getVideoTask('task-1'),
	video: async (gateway) => await gateway.getVideoTask('task-1', undefined, () => {}),
};

export const call = fc.constantFrom(...Object.keys(CALLS));
