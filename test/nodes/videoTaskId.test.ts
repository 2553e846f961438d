import { type Simulator, startSimulator } from '../../simulator';
import { RawServer, rawResponse } from '../engine/rawServer';
import { runNode } from '../engine/runNode';
import { videoNode } from './videoNode';

const HALF = 'task-\ud83d';
const server = new RawServer();
let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
	await server.listen();
});
afterAll(async () => {
	await simulator.close();
	await server.close();
});

test.each(['get', 'wait'])(
	'%s refuses a task ID that holds half of a character before anything is sent',
	async (operation) => {
		const { error } = await runNode(simulator, videoNode({ operation, taskId: HALF }));
		expect(error?.message).toBe(
			'Task ID contains half of a character, which a URL cannot contain [item 0]',
		);
		expect(simulator.count('poll')).toBe(0);
	},
);

test('a task whose ID holds half of a character stays known, though it cannot be polled', async () => {
	const submission = { id: 'request', data: [{ id: HALF, status: 'processing' }] };
	server.respond = () =>
		rawResponse('200 OK', JSON.stringify(submission), { 'content-type': 'application/json' });
	const { items } = await runNode(server as unknown as Simulator, {
		...videoNode(),
		credential: { baseUrl: server.url, apiKey: 'key-of-tests' },
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({
		code: 'invalid_input',
		message: expect.stringContaining('half of a character') as string,
		task_id: HALF,
	});
});
