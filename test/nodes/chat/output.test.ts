import type { StructuredChunk } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const simulator = useSimulator({ now: () => Date.UTC(2025, 0, 1) });

test('a streamed answer has its usage if the request asks for it', async () => {
	const options = { stream: true, additionalBody: '{"stream_options":{"include_usage":true}}' };
	const { items } = await runNode(simulator, chatNode({ options }));
	const { items: full } = await runNode(simulator, chatNode());
	expect({ ...items[0]?.json, id: 0 }).toEqual({ ...full[0]?.json, id: 0 });
});

test('the chunks of each item are begin, the text in parts, and end', async () => {
	const items = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
	const run = await runNode(simulator, { ...chatNode(), items, streaming: true });
	expect(run.items).toHaveLength(3);
	for (const [itemIndex, item] of run.items.entries()) {
		const chunks = run.chunks.filter(({ metadata }) => metadata.itemIndex === itemIndex);
		const types = chunks.map(({ type }) => type);
		expect(types).toEqual(['begin', ...types.slice(1, -1).map(() => 'item'), 'end']);
		expect(types.length).toBeGreaterThan(3);
		expect(chunks.map(({ content }) => content ?? '').join('')).toBe(item.json.text);
		expect(chunks[0]?.metadata).toMatchObject({ nodeName: 'Node', runIndex: 0 });
	}
});

test('no chunks are sent if Stream is off or the workflow does not stream', async () => {
	const off = await runNode(simulator, {
		...chatNode({ options: { stream: false } }),
		streaming: true,
	});
	expect(off.chunks).toEqual([]);
	expect(simulator.requests[0]?.body).not.toHaveProperty('stream');
	const alone = await runNode(simulator, chatNode({ options: { stream: true } }));
	expect(alone.chunks).toEqual([]);
	expect(simulator.requests[1]?.body).toHaveProperty('stream', true);
});

test.each(['begin', 'item', 'end'])(
	'the answer is output if the reader of the stream disconnects at a chunk of type %s',
	async (type) => {
		const { items: full } = await runNode(simulator, chatNode());
		const onChunk = (chunk: StructuredChunk) => {
			if (chunk.type === type) throw new Error('The reader disconnected');
		};
		const { items, error } = await runNode(simulator, { ...chatNode(), streaming: true, onChunk });
		expect(error).toBeUndefined();
		expect(items[0]?.json.text).toBe(full[0]?.json.text);
	},
);

test('a broken stream sends an end chunk, and its error item keeps the text so far', async () => {
	simulator.inject({ endpoint: 'chatStream', fault: 'stream-reset', matching: 'Two' });
	const { items, chunks } = await runNode(simulator, {
		...chatNode(),
		items: [{ prompt: 'One' }, { prompt: 'Two' }],
		streaming: true,
		onError: 'continueRegularOutput',
	});
	const { items: full } = await runNode(simulator, { ...chatNode(), items: [{ prompt: 'Two' }] });
	expect(items[0]?.json).toHaveProperty('text');
	const { error } = items[1]!.json as { error: { partial_text: string } };
	expect(error.partial_text).not.toBe('');
	expect(full[0]?.json.text).toEqual(expect.stringContaining(error.partial_text));
	expect(chunks.filter(({ metadata }) => metadata.itemIndex === 1).at(-1)?.type).toBe('end');
	expect(simulator.count('chatStream')).toBe(2);
});

test('an error in the stream has both the message and the advice', async () => {
	const invalid = { ...chatNode({ options: { temperature: 3 } }), streaming: true };
	const [refusal] = (await runNode(simulator, invalid)).chunks;
	expect(refusal).toMatchObject({ type: 'error', content: expect.stringMatching(/Temperature/) });

	simulator.inject({ endpoint: 'chatStream', fault: 'model-not-found' });
	const { chunks } = await runNode(simulator, { ...chatNode(), streaming: true });
	expect(chunks.at(-1)?.content).toMatch(/model does not exist.*\.\nChoose a model/);
});
