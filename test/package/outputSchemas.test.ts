import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { packageNodes } from '../engine/packageNodes';
import { useSimulator } from '../engine/useServers';
import { type NodeRun, runNode } from '../engine/runNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

type Fields = Record<string, { type: string; properties?: Fields | undefined }>;
const fields: z.ZodType<Fields> = z.lazy(() =>
	z.record(z.string(), z.object({ type: z.string(), properties: fields.optional() })),
);
const schemaFile = z.object({ type: z.literal('object'), properties: fields });

/** Reads a schema where n8n expects it: in `__schema__` of the node, by version and, if any, resource and operation. */
function readSchema(path: string): Fields {
	const file = join(__dirname, '../../dist/nodes', path.replace('/', '/__schema__/'));
	return schemaFile.parse(JSON.parse(readFileSync(file, 'utf8'))).properties;
}

function fieldsOf(object: object): Fields {
	return Object.fromEntries(
		Object.entries(object).map(([name, value]: [string, unknown]) => [
			name,
			typeof value === 'object' && value !== null
				? { type: 'object', properties: fieldsOf(value) }
				: { type: typeOf(value) },
		]),
	);
}

function typeOf(value: unknown): string {
	if (value === null) return 'null';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The duration is always an integer in the simulator, but may be a fraction in a real service. */
const withIntegerDuration = (schema: Fields) =>
	'duration' in schema ? { ...schema, duration: { type: 'integer' } } : schema;

/** Nodes that pass no items on, such as the chat model, have none. */
test('every node has output fields', () => {
	const nodes = Object.values(packageNodes).filter((node) => 'execute' in node);
	expect(nodes.filter((node) => !('outputFields' in node))).toEqual([]);
});

const video = { model: 'kite-motion', prompt: 'A boat', waitOptions: { pollInterval: 0.01 } };

async function outputOf(node: string, parameters: NodeRun['parameters']) {
	const { items, error } = await runNode(simulator, { node, parameters });
	expect(error).toBeUndefined();
	return items[0]?.json ?? {};
}

test('before the first run, the editor shows the output fields of Chat Completion', async () => {
	const messages = { values: [{ role: 'user', content: 'Hello' }] };
	const answer = await outputOf('chatCompletion', { model: 'heron-chat', messages });
	expect(fieldsOf(answer)).toEqual(readSchema('ChatCompletion/v1.0.0.json'));
	expect(Object.keys(answer)[0]).toBe('text');
});

test('before the first run, the editor shows the output fields of List Models', async () => {
	const filters = { search: '@' };
	const model = await outputOf('listModels', { filters });
	expect(Object.keys(model).slice(0, 3)).toEqual(['id', 'base_name', 'version_date']);
	const { id, base_name, version_date } = model;
	const everyModel = fieldsOf({ id, base_name, version_date });
	expect(everyModel).toEqual(readSchema('ListModels/v1.0.0.json'));
});

test.each(['generate', 'submit', 'get', 'wait'])(
	'before the first run, the editor shows the output fields of Video Generation, %s',
	async (operation) => {
		const task = await outputOf('videoGeneration', { ...video, operation: 'generate' });
		const parameters = { ...video, operation, taskId: String(task.task_id) };
		const schema = readSchema(`VideoGeneration/v1.0.0/video/${operation}.json`);
		const output = await outputOf('videoGeneration', parameters);
		expect(fieldsOf(output)).toEqual(withIntegerDuration(schema));
		expect(Object.keys(output)).toEqual(Object.keys(schema));
		expect(Object.keys(output).slice(0, 3)).toEqual(['status', 'url', 'task_id']);
	},
);
