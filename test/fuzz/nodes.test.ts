import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { useSimulator } from '../engine/useServers';
import { type NodeRun, runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

const ITEMS = 300;
const simulator = useSimulator({ videoSeconds: 0 });

const message = fc.record({
	role: fc.oneof(fc.constantFrom('system', 'user', 'assistant'), fc.jsonValue()),
	content: fc.oneof(fc.string(), fc.jsonValue()),
});
const goodMessage = fc.record({
	role: fc.constantFrom('system', 'user', 'assistant'),
	content: fc.string({ minLength: 1 }),
});
const json = fc.jsonValue({ maxDepth: 3 });
const values = (arbitrary: fc.Arbitrary<unknown>) =>
	fc.sample(arbitrary, { numRuns: ITEMS, seed: 1 }).map((value) => ({ value }) as IDataObject);

const VALUE = '={{ $json.value }}';

interface FuzzedNode extends Pick<NodeRun, 'node' | 'parameters'> {
	inputs: IDataObject[];
}

const NODES: Record<string, FuzzedNode> = {
	'messages in Chat Completion': {
		...chatNode({ messagesSource: 'json', messagesJson: VALUE }),
		inputs: values(
			fc.oneof(
				json,
				fc.array(fc.oneof(message, json)),
				fc.array(goodMessage),
				json.map(text),
				fc.string(),
			),
		),
	},
	'an additional body in Chat Completion': {
		...chatNode({ options: { additionalBody: VALUE } }),
		inputs: values(fc.oneof(json, fc.dictionary(fc.string(), json), json.map(text))),
	},
	'a temperature in Chat Completion': {
		...chatNode({ options: { temperature: VALUE } }),
		inputs: values(fc.oneof(fc.double(), json)),
	},
	'a task ID in Video Generation': {
		...videoNode({ operation: 'get', taskId: VALUE }),
		inputs: values(fc.oneof(fc.string(), json)),
	},
	'a prompt and a duration in Video Generation': {
		...videoNode({ operation: 'submit', prompt: VALUE, duration: VALUE }),
		inputs: values(fc.oneof(fc.double(), fc.string(), json)),
	},
	'a search in List Models': {
		node: 'listModels',
		inputs: values(fc.oneof(fc.string(), json)),
		parameters: { filters: { search: VALUE } },
	},
};

function text(value: unknown): string {
	return JSON.stringify(value);
}

test.each(Object.keys(NODES))(
	'any value as %s gives an item or a clear error, for each item',
	async (name) => {
		const { node, inputs, parameters } = NODES[name]!;
		const { items, error } = await runNode(simulator, {
			node,
			parameters,
			items: inputs,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		const pairedInputs = new Set(items.map(({ pairedItem }) => JSON.stringify(pairedItem)));
		if (node !== 'listModels') expect(pairedInputs.size).toBe(ITEMS);
		const isGood = items.map(({ json: output }) => !('error' in output));
		// No task has a random ID.
		expect(isGood.includes(true)).toBe(parameters.operation !== 'get');
		if (node !== 'listModels') expect(isGood).toContain(false);
		for (const { json: output } of items) {
			const failure = output.error as IDataObject | undefined;
			if (failure === undefined) continue;
			expect(failure.message).not.toMatch(/undefined|not a function|Cannot read|ZodError/);
			expect(failure.description).toEqual(expect.any(String));
		}
	},
);
