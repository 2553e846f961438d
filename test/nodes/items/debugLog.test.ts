import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { type Simulator, startSimulator } from '../../../simulator';
import { runNode } from '../../engine/runNode';
import { RequestClock } from '../../clock/requestClock';
import { chatNode } from '../chat/chatNode';

const logger = Container.get(Logger);
const lines: string[] = [];
let simulator: Simulator;
let time: RequestClock;
beforeAll(async () => {
	time = new RequestClock();
	simulator = await startSimulator();
});
beforeEach(() => {
	lines.splice(0);
	const debug = (message: string) => void lines.push(message);
	Container.set(Logger, Object.create(logger, { debug: { value: debug } }) as Logger);
});
afterAll(async () => {
	Container.set(Logger, logger);
	time.restore();
	await simulator.close();
});

const ours = () => lines.filter((line) => line.startsWith('Node: '));

test('the debug log has a line for each attempt: what was asked, what came back, and the pause', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'retry-after-absent', times: 1 });
	const { items } = await time.until(runNode(simulator, chatNode()));
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(ours()).toEqual([
		expect.stringMatching(
			/^Node: POST \/v1\/chat\/completions \[chat [\w-]+\] attempt 1: status 429 rate_limit_exceeded, pause \d+ ms, \d+ ms$/,
		),
		expect.stringMatching(/attempt 2: succeeded, \d+ ms, waited \d+ ms for the rate limit/),
	]);
});

test('the debug log has neither the key nor the prompt', async () => {
	const run = chatNode({ messages: { values: [{ role: 'user', content: 'a secret recipe' }] } });
	await time.until(runNode(simulator, run));
	expect(ours()).toHaveLength(1);
	expect(ours().join()).not.toContain('recipe');
	expect(ours().join()).not.toContain(simulator.key);
});

test('a level that hides the debug log costs no line', async () => {
	const hidden = jest.fn(() => {});
	Container.set(Logger, Object.create(logger, { debug: { value: hidden } }) as Logger);
	const { items } = await runNode(simulator, chatNode({}));
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(hidden).not.toHaveBeenCalledWith(expect.stringMatching(/^Node: /));
});
