import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { useLog } from '../../engine/useLog';
import { useVirtualTime } from '../../engine/useVirtualTime';
import { chatNode } from '../chat/chatNode';

const lines = useLog('debug');
const { simulator, runNode } = useVirtualTime();

const ours = () => lines.filter((line) => line.startsWith('Node: '));

test('the debug log has a line for each attempt: what was asked, what came back, and the pause', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'retry-after-absent', times: 1 });
	const { items } = await runNode(chatNode());
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(ours()).toEqual([
		expect.stringMatching(
			/^Node: POST \/v1\/chat\/completions \[chat [\w-]+\] attempt 1: status 429 rate_limit_exceeded, pause \d+ ms, \d{1,3} ms$/,
		),
		expect.stringMatching(/attempt 2: succeeded, \d+ ms, waited \d+ ms for the rate limit/),
	]);
	const [, took, waited] = /succeeded, (\d+) ms, waited (\d+) ms/.exec(ours().join()) ?? [];
	expect(Number(took)).toBeLessThan(Number(waited));
});

test('with Max Concurrency 1, the next item waits until the one before has been sent again', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'internal-error', times: 1 });
	await runNode({ ...chatNode({ options: { maxConcurrency: 1 } }), items: [{}, {}] });
	expect(ours().map((line) => /attempt \d/.exec(line)?.[0])).toEqual([
		'attempt 1',
		'attempt 2',
		'attempt 1',
	]);
});

test('the debug log has neither the key nor the prompt', async () => {
	const run = chatNode({ messages: { values: [{ role: 'user', content: 'a secret recipe' }] } });
	await runNode(run);
	expect(ours()).toHaveLength(1);
	expect(ours().join()).not.toContain('recipe');
	expect(ours().join()).not.toContain(simulator.key);
});

test('a level that hides the debug log costs no line', async () => {
	const hidden = jest.fn(() => {});
	Container.set(
		Logger,
		Object.create(Container.get(Logger), { debug: { value: hidden } }) as Logger,
	);
	const { items } = await runNode(chatNode());
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(hidden).not.toHaveBeenCalledWith(expect.stringMatching(/^Node: /));
});
