import { type Simulator, startSimulator } from '../../simulator';
import { runAgent } from '../engine/runAgent';
import { runNode } from '../engine/runNode';
import { chatNode } from './chatNode';

// An n8n from before 2.16 has no SDK for AI nodes.
jest.mock('@n8n/ai-node-sdk', () => {
	throw new Error("Cannot find module '@n8n/ai-node-sdk'\nRequire stack:\n- /home/node/a.js");
});

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
});
afterAll(async () => await simulator.close());

test('on an older n8n the chat model says what it needs, at its own node', async () => {
	const { error } = await runAgent(simulator, {
		work: async ({ model }) => (await model.invoke([['user', 'Hello']])).text,
	});
	expect(error).toMatchObject({
		message: 'This version of n8n cannot run the Generation Service Chat Model',
		description: expect.stringMatching(
			/2\.16 or later.*OpenAI Chat Model.*Chat Completion node\.\n.*Cannot find module.*$/,
		) as string,
		node: { name: 'Model' },
	});
});

test('on an older n8n the other nodes work', async () => {
	const { items, error } = await runNode(simulator, chatNode());
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
});
