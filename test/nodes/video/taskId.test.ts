import { useRawServer, useSimulator } from '../../engine/useServers';
import { rawResponse } from '../../engine/rawServer';
import type { Simulator } from '../../../simulator';
import { runNode } from '../../engine/runNode';
import { videoNode } from './videoNode';

/** A high surrogate without the low one. */
const LONE_SURROGATE_ID = 'task-\ud83d';
const server = useRawServer();
const simulator = useSimulator();

test.each(['get', 'wait'])(
	'%s refuses a task ID with half of a character before any request',
	async (operation) => {
		const { error } = await runNode(simulator, videoNode({ operation, taskId: LONE_SURROGATE_ID }));
		expect(error?.message).toBe(
			'Task ID contains half of a character, which a URL cannot contain [item 0]',
		);
		expect(simulator.count('poll')).toBe(0);
	},
);

test('a task ID with half of a character cannot be polled, but is in the error', async () => {
	const submission = { id: 'request', data: [{ id: LONE_SURROGATE_ID, status: 'processing' }] };
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
		task_id: LONE_SURROGATE_ID,
	});
});
