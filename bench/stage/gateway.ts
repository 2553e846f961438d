import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Gateway } from '../../gateway';
import type { Stage } from '../bench';
import { ROOT } from './places';

/** The client as it is published: bundled into the built package. */
export function builtGateway(): typeof import('../../gateway') {
	return createRequire(__filename)(join(ROOT, 'dist/gateway/index.js')) as never;
}

export function openGateway({ url, key }: Stage, maxConcurrency: number): Gateway {
	const { Gateway: Client, parseConnection } = builtGateway();
	const connection = parseConnection({ baseUrl: url, apiKey: key });
	return new Client(connection, { maxConcurrency, maxRetries: 4, timeoutMs: 300_000 });
}
