import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Gateway } from '../../gateway/index';
import type { Build } from '../benchmark';
import type { Target } from './candidate';
import { ROOT } from './paths';

/** The client as published: bundled into the built package. */
export function builtGateway(build: Build = 'undici'): typeof import('../../gateway/index') {
	const dist = build === 'undici' ? 'dist' : 'dist-verified/dist';
	return createRequire(__filename)(join(ROOT, dist, 'gateway/index.js')) as never;
}

export function openGateway({ url, key }: Target, maxConcurrency: number): Gateway {
	const { Gateway: Client, parseCredential } = builtGateway();
	const connection = parseCredential({ baseUrl: url, apiKey: key });
	return new Client(connection, { maxConcurrency, maxRetries: 4, timeoutMs: 300_000 });
}
