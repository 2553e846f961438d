import type { Promised } from './promise';
import { ofRefusals } from './refusals';

/** Refusals cost no more than what they are about. */
export const fair: Promised = {
	name: 'Fair',
	says: 'A request that the service refuses for what it is holds up no other. A rate limit, a short pause and a short outage lose no item.',
	except: ['Models or processes that share a limit each learn their part of it from refusals.'],
	alsoKeptBy: ['test/gateway/limitScenarios.test.ts'],
	check: ofRefusals,
};
