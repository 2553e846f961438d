import 'reflect-metadata';
import { parseFlatted } from '@n8n/backend-common';
import { z } from 'zod';
import type { N8nApi } from '../host/n8nApi';

const item = z.object({ json: z.record(z.string(), z.unknown()) });
/** Sub-nodes, such as a chat model, have no main output. */
const run = z.object({ data: z.object({ main: z.array(z.array(item).nullable()).default([]) }) });
const execution = z.object({
	resultData: z.object({ runData: z.record(z.string(), z.array(run)) }),
});
const saved = z.object({ data: z.string() });

/** The items of all runs and outputs of a node in an execution. */
export async function nodeOutput(api: N8nApi, executionId: string, node: string) {
	const { data } = saved.parse(await api.call('GET', `/executions/${executionId}`));
	const { runData } = execution.parse(await parseFlatted(data)).resultData;
	const outputs = (runData[node] ?? []).flatMap(({ data: { main } }) => main);
	return outputs.flatMap((items) => items ?? []).map(({ json }) => json);
}
