import type { ScenarioNode } from '../scenario/schema';

/** How a node sends its requests, with the defaults that the README tells. */
export function sendingOptionsOf({ options = {} }: Pick<ScenarioNode, 'options'>) {
	const { maxConcurrency = 10, maxRetries = 4, timeout = 300 } = options;
	return { maxConcurrency, maxRetries, timeout };
}
