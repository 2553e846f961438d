import { type Simulator, startSimulator } from '../../simulator';
import { bytesOf } from '../../demo/engine';
import { RequestClock } from '../clock/requestClock';
import { type NodeRun, runNode } from './runNode';

let simulator: Simulator;
let now = Date.now;
beforeAll(async () => {
	simulator = await startSimulator({ now: () => now(), videoSeconds: 60 });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const chat: NodeRun = {
	node: 'chatCompletion',
	parameters: { model: 'heron-chat', messages: { values: [{ role: 'user', content: 'Hello' }] } },
};

test('a loop runs the node once per item', async () => {
	const { runs, run } = await runNode(simulator, { ...chat, loop: true, items: [{}, {}, {}] });
	expect(run.status).toBe('success');
	expect(runs.map((items) => items.length)).toEqual([1, 1, 1]);
	expect(run.data.resultData.runData.Done?.[0]?.data?.main?.[0]).toHaveLength(3);
});

test('a cancelled execution has the status canceled, not error', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'hang' });
	const cancel = new AbortController();
	const running = runNode(simulator, { ...chat, signal: cancel.signal });
	while (simulator.count('chat') === 0) await new Promise(setImmediate);
	cancel.abort();
	expect((await running).run.status).toBe('canceled');
});

test('Retry On Fail runs a failing node again', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'quota-not-enough', times: 2 });
	const { items, error } = await runNode(simulator, { ...chat, tries: 3 });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(simulator.count('chat')).toBe(3);
});

test('chunks are sent only when the workflow streams', async () => {
	const streaming = await runNode(simulator, { ...chat, streaming: true });
	const text = streaming.chunks.map(({ content }) => content ?? '').join('');
	expect(text).toBe(streaming.items[0]?.json.text);
	expect((await runNode(simulator, chat)).chunks).toEqual([]);
});

test('a failed execution resumes from its saved data', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'quota-not-enough', times: 1 });
	const failed = await runNode(simulator, chat);
	expect(failed.error).toBeDefined();
	const resumed = await runNode(simulator, { ...chat, retryData: failed.run.data });
	expect(resumed.error).toBeUndefined();
	expect(resumed.items).toHaveLength(1);
});

test('a downloaded video is stored on disk, and a minute of waiting takes milliseconds', async () => {
	const time = new RequestClock();
	now = time.now;
	try {
		const running = runNode(simulator, {
			node: 'videoGeneration',
			parameters: { model: 'kite-motion', prompt: 'A boat', download: true },
		});
		const { items, error } = await time.until(running);
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.id).toMatch(/^filesystem/);
		expect((await bytesOf(items[0]!)).subarray(4, 8).toString()).toBe('ftyp');
	} finally {
		time.restore();
	}
});
