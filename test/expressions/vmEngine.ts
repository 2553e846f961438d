import { Expression } from 'n8n-workflow';
import { startVmEngine } from '../../bench/harness/expressionEngine';

beforeAll(async () => {
	await startVmEngine();
	expect(Expression.getActiveImplementation()).toBe('vm');
});

afterAll(async () => await Expression.disposeExpressionEngine());
