import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Gateway } from '../../gateway/index';
import type { Stage } from './contestant';
import { ROOT } from './places';

/** The client as it is published: bundled into the built package. */
export function builtGateway(): typeof import('../../gateway/index') {
	return createRequire(__filename)(join(ROOT, 'dist/gateway/index.js')) as never;
}

export function openGateway({ url, key }: Stage, maxConcurrency: number): Gateway {
	const { Gateway: Client, parseCredential } = builtGateway();
	const connection = parseCredential({ baseUrl: url, apiKey: key });
	return new Client(connection, { maxConcurrency, maxRetries: 4, timeoutMs: 300_000 });
}
