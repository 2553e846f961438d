import { memoryDispatcher } from './memoryDispatcher';
import { memoryHttpRequest } from './memoryHttpRequest';
import type { ServicePlanInput } from './plan';
import { Service, type WorldClock } from './service';

export { servicePlan, type ServicePlan, type ServicePlanInput } from './plan';
export type { Service, WorldClock } from './service';
export type { Truth, TruthRequest, TruthTask } from './truth';
export { videoOf } from './video';
export { memoryDispatcher, memoryHttpRequest };

/** The service of one life. */
export function createService(plan: ServicePlanInput, clock: WorldClock): Service {
	return new Service(plan, clock);
}
