import { memoryHttpRequest } from './memoryHttpRequest';
import { memoryUndici } from './memoryUndici';
import type { ServicePlan } from './plan';
import { Service, type ServiceWorld } from './service';

export type { Truth, TruthRequest, TruthTask } from './truth';
export { videoOf } from './video';

/** The service of one scenario, and the two ways to it: in the place of undici, and of n8n's request helper. */
export function createService(plan: ServicePlan, world: ServiceWorld) {
	const service = new Service(plan, world);
	return {
		url: service.url,
		alias: service.alias,
		other: service.other,
		keys: service.keys,
		truth: service.truth,
		/** How many requests are on their way. */
		open: service.open as ReadonlySet<unknown>,
		/** Whether some were sent and have not arrived: what a client gives up meanwhile is accepted all the same. */
		isReached: () => service.arriving === 0,
		cut: () => service.cut(),
		recover: () => service.recover(),
		undici: memoryUndici(service),
		httpRequest: memoryHttpRequest(service),
	};
}
