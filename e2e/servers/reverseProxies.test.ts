import { useSimulator } from '../../test/engine/useServers';
import { type NodeRun, runNode } from '../../test/engine/runNode';
import { chatNode } from '../../test/nodes/chat/chatNode';
import { videoNode } from '../../test/nodes/video/videoNode';
import { apache, nginx } from './reverseProxies';
import { describeWith, type RunningServer, startServer } from './startServer';

const simulator = useSimulator();
let proxy: RunningServer;

const run = async (options: NodeRun) =>
	await runNode(simulator, {
		...options,
		credential: { baseUrl: proxy.url, apiKey: simulator.key },
	});

/** The status of each proxy when the service takes too long, and when its connection breaks. */
describe.each([
	{ program: apache, timeoutStatus: 502, brokenStatus: 502 },
	{ program: nginx, timeoutStatus: 504, brokenStatus: 502 },
])('behind a reverse proxy', ({ program, timeoutStatus, brokenStatus }) => {
	describeWith(program, () => {
		beforeAll(async () => {
			proxy = await startServer(program, simulator.url);
		});
		afterAll(async () => await proxy.close());

		test('a chat and a submission succeed', async () => {
			const chat = await run(chatNode());
			expect(chat.items[0]?.json.text).toEqual(expect.any(String));
			const video = await run(videoNode({ operation: 'submit' }));
			expect(video.items[0]?.json.task_id).toBe(simulator.tasks[0]?.id);
		});

		const submission = videoNode({ operation: 'submit', options: { maxRetries: 3 } });

		test.each([
			['takes longer than the timeout of the proxy', 'hang', timeoutStatus],
			['breaks the connection', 'lost', brokenStatus],
		])(
			'a submission is not sent again if the service accepts it and %s',
			async (_what, fault, status) => {
				simulator.inject({ endpoint: 'submit', fault });
				const { items } = await run({ ...submission, onError: 'continueRegularOutput' });
				expect(items[0]?.json.error).toMatchObject({
					http_status: status,
					may_have_been_accepted: true,
				});
				expect(simulator.submissions).toBe(1);
			},
		);
	});
});
