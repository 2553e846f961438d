import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { type Simulator, startSimulator } from '../../../simulator';
import { type NodeRun, runNode } from '../../engine/runNode';
import { videoNode } from '../video/videoNode';
import { chatNode } from '../chat/chatNode';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.01 });
});
beforeEach(() => simulator.reset());
afterEach(() => jest.restoreAllMocks());
afterAll(async () => await simulator.close());

/** The hints above the output of the run. */
async function hintsOf(node: NodeRun): Promise<string[]> {
	const { run, error } = await runNode(simulator, node);
	expect(error).toBeUndefined();
	return (run.data.resultData.runData.Node?.[0]?.hints ?? []).map(({ message }) => message);
}

test('a successful run has no hints', async () => {
	expect(await hintsOf(chatNode())).toEqual([]);
	expect(await hintsOf(videoNode({ download: true }))).toEqual([]);
	expect(await hintsOf({ node: 'listModels', parameters: { returnAll: true } })).toEqual([]);
});

test('a hint counts answers cut off at Max Tokens', async () => {
	const options = { maxTokens: '={{ $json.most }}' };
	const items = [{ most: 1 }, { most: 1000 }, { most: 1 }];
	expect(await hintsOf({ ...chatNode({ options }), items })).toEqual([
		expect.stringMatching(/^2 answers are cut off .*Increase Max Tokens/),
	]);
});

test("a hint names answers cut off by the service's content filter", async () => {
	simulator.inject({ endpoint: 'chat', fault: 'output-filtered' });
	expect(await hintsOf(chatNode())).toEqual([
		expect.stringMatching(/^1 answer is cut off by the service's content filter/),
	]);
});

test('a hint says why a list of models is empty, once for all items', async () => {
	const filters = { search: 'no such model' };
	expect(await hintsOf({ node: 'listModels', parameters: { filters }, items: [{}, {}] })).toEqual([
		expect.stringMatching(/^None of the \d+ models match the filters/),
	]);
	simulator.inject({ endpoint: 'models', fault: 'models-empty' });
	expect(await hintsOf({ node: 'listModels', parameters: {} })).toEqual([
		'The service has no models for this account.',
	]);
});

test('a hint counts unfinished videos in the output', async () => {
	const waitOptions = { pollInterval: 0.02, maxWait: 0.1, onTimeout: 'output' };
	const endless = videoNode({
		prompt: 'A boat [fault:task-endless]',
		waitOptions,
		options: { n: 2 },
	});
	expect(await hintsOf(endless)).toEqual([
		expect.stringMatching(/^2 videos are not finished: Max Wait is over/),
	]);
	const [task] = simulator.tasks;
	const get = (download: boolean) =>
		videoNode({ operation: 'get', taskId: task?.id ?? '', download });
	expect(await hintsOf(get(true))).toEqual([
		expect.stringMatching(/^1 video is not finished yet, so there is nothing to download/),
	]);
	expect(await hintsOf(get(false))).toEqual([]);
});

test('a hint names downloads that n8n keeps in memory', async () => {
	const binaryData = Container.get(BinaryDataService);
	jest.replaceProperty(binaryData, 'mode' as never, 'default' as never);
	expect(await hintsOf(videoNode({ download: true }))).toEqual([
		expect.stringMatching(/^1 video is held in the memory of n8n.*N8N_DEFAULT_BINARY_DATA_MODE/),
	]);
});
