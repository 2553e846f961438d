import type { ScenarioNode } from '../scenario/schema';

/** The request options of a node, with the defaults that the README tells. */
export function requestOptionsOf({ requestOptions = {} }: Pick<ScenarioNode, 'requestOptions'>) {
	const { maxConcurrency = 10, maxRetries = 4, timeout = 300 } = requestOptions;
	return { maxConcurrency, maxRetries, timeout };
}
