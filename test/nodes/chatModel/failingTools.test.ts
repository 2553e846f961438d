import { useSimulator } from '../../engine/useServers';
import { runAgent, type Tool } from '../../engine/runAgent';
import { boat, callTool, makeVideo, type Caller, withOnError } from './toolNodes';

const simulator = useSimulator({ videoSeconds: 0.02 });

const CALLERS: Caller[] = ['agent', 'engine, with On Error: Continue', 'engine'];

describe.each(CALLERS)(
	'what the model gets when a tool fails that is called by the %s',
	(caller) => {
		test('the model gets the error of a refused request, without the key', async () => {
			simulator.inject({ endpoint: 'submit', fault: 'echo-key-general' });
			const { result, run } = await callTool(simulator, caller, makeVideo, boat);
			expect(result).toMatch(/refused the API key/);
			expect(JSON.stringify(run.data)).not.toContain(simulator.key);
		});

		test('the model gets the reason why a video failed', async () => {
			const prompt = 'A boat [fault:task-failed-object]';
			const { result } = await callTool(simulator, caller, makeVideo, { ...boat, prompt });
			expect(result).toMatch(/could not generate the video of task .*The service says: /s);
		});

		test('the model gets the IDs of finished videos beside one that failed', async () => {
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
			const parameters = { ...makeVideo.parameters, options: { n: 3 } };
			const { result } = await callTool(simulator, caller, { ...makeVideo, parameters }, boat);
			expect(simulator.tasks).toHaveLength(3);
			for (const { id } of simulator.tasks) expect(result).toContain(id);
		});

		test('an invalid parameter from the model is refused before any submission', async () => {
			const { result } = await callTool(simulator, caller, makeVideo, { ...boat, seconds: 60 });
			expect(result).toMatch(/Duration must be a number from 2 to 10/);
			expect(simulator.count('submit')).toBe(0);
		});

		test.each([
			['directly', [boat, boat], 1],
			['after another video', [boat, { ...boat, prompt: 'A red kite' }, boat], 2],
		])(
			'a model that retries a failed call %s gets the video already submitted',
			async (_when, inputs, videos) => {
				simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
				const callInOrder = async ({ tools: [only] }: { tools: Tool[] }) => {
					let last = '';
					for (const input of inputs) last = await only!.invoke(input).catch(() => '');
					return last;
				};
				const toolCalls = inputs.map((input) => ({ tool: makeVideo.name, input }));
				const { result } = await runAgent(simulator, {
					work: caller === 'agent' ? callInOrder : { toolCalls },
					tools: [withOnError(caller, makeVideo)],
					withoutModel: true,
				});
				expect(JSON.stringify(result)).toContain(`${simulator.tasks[0]?.id}.mp4`);
				expect(simulator.submissions).toBe(videos);
			},
		);
	},
);
