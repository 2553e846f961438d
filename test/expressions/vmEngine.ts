import { Expression } from 'n8n-workflow';

// As n8n 2.41 starts it.
beforeAll(async () => {
	await Expression.initExpressionEngine({
		engine: 'vm',
		poolSize: 2,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		lazyAcquire: false,
	});
	expect(Expression.getActiveImplementation()).toBe('vm');
});

afterAll(async () => await Expression.disposeExpressionEngine());
