import type { IDataObject, INode, IRun } from 'n8n-workflow';
import { itemsOf, type WorkflowFile } from './engine';
import { DemoFailure, type Stage } from './stage';

/** A promise of the nodes, kept before the reader's eyes. */
export interface Scene {
	/** What happens. */
	when: string;
	/** What comes of it. */
	then: string;
	/** @throws DemoFailure if the promise is not kept */
	play(stage: Stage): Promise<void>;
}

const place = { typeVersion: 1, position: [0, 0] as [number, number] };
const VIDEO = 'Video Generation';

/** A workflow with Video Generation alone. */
function oneVideo(name: string, settings: Partial<INode>): WorkflowFile {
	return {
		name,
		nodes: [
			{ ...place, id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
			{
				...place,
				id: '2',
				name: VIDEO,
				type: 'n8n-nodes-generation-service.videoGeneration',
				parameters: {
					model: { __rl: true, mode: 'id', value: 'kite-motion' },
					prompt: 'A red kite climbs over a wheat field',
					waitOptions: { pollInterval: 1 },
				},
				credentials: { generationServiceApi: { id: '1', name: 'Service' } },
				...settings,
			},
		],
		connections: { Start: { main: [[{ node: VIDEO, type: 'main', index: 0 }]] } },
	};
}

function expect(isKept: boolean, run: IRun): void {
	if (isKept) return;
	const { message = 'It did something else.', description } = run.data.resultData.error ?? {};
	throw new DemoFailure(description ? `${message}\n${description}` : message);
}

const jsonOf = (run: IRun, node: string, output = 0): IDataObject[] =>
	itemsOf(run, node, output).map(({ json }) => json);

export const SCENES: Scene[] = [
	{
		when: 'The key is good',
		then: 'its models are listed',
		async play(stage) {
			const run = await stage.run(stage.example('list-models.json'));
			expect(jsonOf(run, 'List Models').length > 1, run);
		},
	},
	{
		when: 'Two prompts',
		then: 'two answers, in order',
		async play(stage) {
			const run = await stage.run(stage.example('chat.json'));
			expect(jsonOf(run, 'Chat Completion').length === 2, run);
		},
	},
	{
		when: 'A chat',
		then: 'the answer arrives word by word',
		async play(stage) {
			const before = stage.simulator.count('chatStream');
			const json = { sessionId: 'demo', chatInput: 'Tell me about the tides.' };
			const run = await stage.run(stage.example('streaming-chat.json'), { trigger: [{ json }] });
			const [answer] = jsonOf(run, 'Chat Completion');
			expect(stage.simulator.count('chatStream') === before + 1 && answer?.text !== '', run);
		},
	},
	{
		when: 'Two of three fail',
		then: 'they say why, and the third is done',
		async play(stage) {
			const run = await stage.run(stage.example('error-branch.json'));
			const problems = jsonOf(run, 'What Went Wrong');
			expect(jsonOf(run, 'Answers').length === 1 && problems.length === 2, run);
		},
	},
	{
		when: '429 twice',
		then: 'answered',
		async play(stage) {
			const { simulator } = stage;
			const before = simulator.count('chat');
			simulator.inject({ endpoint: 'chat', fault: 'rate-limit', times: 2 });
			const run = await stage.run(stage.example('chat.json'));
			const sent = simulator.count('chat') - before;
			expect(jsonOf(run, 'Chat Completion').length === 2 && sent === 4, run);
		},
	},
	{
		when: 'The response is lost',
		then: 'not paid twice',
		async play(stage) {
			const { simulator } = stage;
			const before = simulator.submissions;
			simulator.inject({ endpoint: 'submit', fault: 'lost', times: 1 });
			const settings = {
				retryOnFail: true,
				waitBetweenTries: 1,
				onError: 'continueErrorOutput',
			} as const;
			const run = await stage.run(oneVideo('A response that is lost', settings));
			const [item] = jsonOf(run, VIDEO, 1);
			const error = item?.error as IDataObject | undefined;
			const isNamed = error?.may_have_been_accepted === true;
			expect(isNamed && simulator.submissions === before + 1, run);
		},
	},
	{
		when: 'Retry On Fail',
		then: 'nothing submitted again',
		async play(stage) {
			const { simulator } = stage;
			const before = simulator.submissions;
			simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
			const settings = { retryOnFail: true, waitBetweenTries: 1 };
			const run = await stage.run(oneVideo('A poll that fails', settings));
			const [video] = jsonOf(run, VIDEO);
			expect(video?.status === 'completed' && simulator.submissions === before + 1, run);
		},
	},
	{
		when: 'Four videos at once',
		then: 'four files',
		async play(stage) {
			const run = await stage.run(stage.example('videos-to-files.json'));
			expect(jsonOf(run, 'Write File').length === 4, run);
		},
	},
];
