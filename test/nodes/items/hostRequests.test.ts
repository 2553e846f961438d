import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildEvalMockCredentials } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { globSync } from 'tinyglobby';
import { GenerationServiceApi } from '../../../credentials/GenerationServiceApi.credentials';
import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { COMPLETION } from '../../gateway/inMemory';
import { chatNode } from '../chat/chatNode';

const simulator = useSimulator();

/** What n8n's request helpers read of an execution, and what the nodes do. */
const READ_BY_HELPERS: Record<string, string> = {
	credentialsHelper: 'the gateway writes the one header itself, with the key of the item',
	evalLlmMockHandler: 'requests go through the helper',
	executionId: 'for the headers of otel',
	otel: 'its headers are on each request',
	ssrfBridge: 'n8n lends its egress filter',
};

test('all that n8n lets its request helpers know of an execution is known here', () => {
	const core = dirname(require.resolve('n8n-core/package.json'));
	const files = globSync('dist/execution-engine/**/request-helpers/*.js', { cwd: core });
	const text = files.map((file) => readFileSync(join(core, file), 'utf8')).join('\n');
	const read = [...text.matchAll(/additionalData\.(\w+)/g)].map(([, name = '']) => name);
	expect([...new Set(read)].sort()).toEqual(Object.keys(READ_BY_HELPERS));
});

/** A run of n8n's evaluations, in which n8n answers the requests itself, and the URLs that it was asked for. */
function mockedRun() {
	const asked: string[] = [];
	const evalLlmMockHandler = async ({ url }: { url: string }) => {
		asked.push(url);
		const headers = { 'content-type': 'application/json' };
		return await Promise.resolve({ body: COMPLETION, headers, statusCode: 200 });
	};
	return { asked, additional: { evalLlmMockHandler } as never };
}

test('where n8n answers requests itself, nothing is sent', async () => {
	const { asked, additional } = mockedRun();
	const { items, error } = await runNode(simulator, { ...chatNode(), additional });
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.text)).toEqual(['Hi']);
	expect(asked).toEqual([`${simulator.url}/v1/chat/completions`]);
	expect(simulator.requests).toEqual([]);
});

test.each<[string, IDataObject]>([
	[
		'was not chosen yet',
		buildEvalMockCredentials(new GenerationServiceApi().properties) as IDataObject,
	],
	['was deleted', { __evalMockedCredential: true }],
])('n8n evaluates a workflow whose credential %s', async (_what, credential) => {
	const { asked, additional } = mockedRun();
	const { items, error } = await runNode(simulator, { ...chatNode(), credential, additional });
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.text)).toEqual(['Hi']);
	expect(asked).toEqual([expect.stringMatching(/\.invalid\/v1\/chat\/completions$/)]);
	const inEarnest = await runNode(simulator, { ...chatNode(), credential });
	expect(inEarnest.error?.message).toMatch(/The credential has no Base URL/);
});

test("the headers of n8n's tracing are on each request", async () => {
	const otel = {
		injectTraceHeaders: (execution: string, node: string, headers: Record<string, string>) =>
			Object.assign(headers, { traceparent: `00-${execution}-${node}` }),
	};
	const { error } = await runNode(simulator, { ...chatNode(), additional: { otel } as never });
	expect(error).toBeUndefined();
	expect(simulator.requests.map(({ headers }) => headers.traceparent)).toEqual(['00-1-Node']);
});
