import { Expression } from 'n8n-workflow';

/** Starts `vm`, the default expression engine of n8n 2.41, with n8n's settings. n8n-core alone takes the older one. */
export async function startVmEngine(): Promise<void> {
	await Expression.initExpressionEngine({
		engine: 'vm',
		poolSize: 2,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		lazyAcquire: false,
	});
}
