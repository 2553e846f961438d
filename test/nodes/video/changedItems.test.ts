import type { NodeRun } from '../../engine/runNode';
import { useExecutions } from '../../engine/useExecutions';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { videoNode } from './videoNode';

// With n8n's old engine, an expression may change the item that it reads.

const { simulator, runNode } = useVirtualTime({ videoSeconds: 1 });
const execute = useExecutions(runNode);

const promptsOf = (requests: typeof simulator.requests) =>
	requests.flatMap(({ body }) => (body as { prompt?: string } | undefined)?.prompt ?? []);

const changing = (prompt: string, more: Partial<NodeRun> = {}): NodeRun => ({
	...videoNode({ prompt, waitOptions: { pollInterval: 2 } }),
	items: ['A', 'B', 'C'].map((film) => ({
		film,
		scenes: [1, 2, 3, 4, 5, 6].map((scene) => `${film}${scene}`),
	})),
	...more,
});

const EXPRESSIONS: Array<[prompt: string, first: string]> = [
	['={{ $json.scenes.pop() }}', 'A6'],
	['={{ $json.scenes.shift() }} and {{ $json.scenes.shift() }}', 'A1 and A2'],
	['={{ $json.film = $json.film + "!" }}', 'A!'],
	['={{ $json.title = $json.film }}', 'A'],
	['=No {{ delete $json.scenes }} {{ $json.film }}', 'No true A'],
	['={{ $input.first().json.scenes.shift() }} for {{ $json.film }}', 'A1 for A'],
];

describe.each(EXPRESSIONS)('the prompt %s', (prompt, first) => {
	test.each([
		['a second try', { tries: 2 }],
		["n8n's Retry", {}],
	])('%s makes the failed video alone again, of the same prompt', async (_, more) => {
		simulator.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 1 });
		const node = changing(prompt, more);
		const failed = await execute(node);
		const { error } = failed.error ? await execute(node) : failed;
		expect(error).toBeUndefined();
		const sent = promptsOf(simulator.requests);
		expect(sent[0]).toBe(first);
		expect(sent).toEqual([...sent.slice(0, 3), first]);
		expect(new Set(sent).size).toBe(3);
	});

	test('Max Billable Requests counts a second try of it once', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
		const node = changing(prompt, { tries: 3 });
		node.parameters.options = { maxBillableRequests: 3 };
		const { error } = await execute(node);
		expect(error).toBeUndefined();
		expect(simulator.submissions).toBe(3);
	});

	test('leaves the items that follow as they were before', async () => {
		const node = changing(prompt);
		node.parameters.options = { includeInputFields: true };
		const { items } = await execute(node);
		const left = items.map(({ json: { film, scenes, title } }) => ({ film, scenes, title }));
		expect(left).toEqual(changing(prompt).items?.map((item) => ({ ...item, title: undefined })));
	});
});
