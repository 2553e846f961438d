import { spread } from '../../simulator/video/tasks';
import { bars, type Bench, compare, type Contestant, OURS } from '../benchmark';
import { number } from '../report/format';
import { openGateway } from '../harness/gateway';
import { timed } from '../harness/measure';
import { VIDEO_MODEL } from '../harness/model';
import { loadN8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';

const VIDEOS = 1_000;
const SECONDS = [60, 180] as const;
const INTERVAL = 5;
const REQUESTS = 1_000;
const TIME = 'time until all videos are out';
const CPU = 'CPU of a poll';
const SLOWEST = 'the slowest video';
const SEQUENTIAL = 'one after the other';
const HTTP_REQUEST = 'HTTP Request node';

const durations = Array.from({ length: VIDEOS }, (_, video) => spread(SECONDS, video));

/** Submits a video, looks at it until it is finished, pauses after each look, and only then turns to the next. */
function oneAfterTheOther(): number {
	const looks = durations.map((seconds) => Math.ceil(seconds / INTERVAL) + 1);
	return looks.reduce((sum, count) => sum + count * INTERVAL, 0);
}

const ours: Contestant = async (stage) => {
	const { generatingNode, prompts, runNode, submittingNode } = await loadN8n();
	const items = prompts(VIDEOS);
	const submit = async () => await timed(async () => await runNode(submittingNode(stage), items));
	await submit();
	return async () => {
		const alone = await submit();
		const { wall, cpu } = await timed(async () => {
			const videos = await runNode(generatingNode(stage), items);
			const finished = videos.filter(({ json }) => json.status === 'completed').length;
			if (finished !== VIDEOS) throw new Error(`${finished} of ${VIDEOS} videos came out`);
		});
		return { [TIME]: wall / 1000, polling: 1000 * (cpu - alone.cpu) };
	};
};

const httpRequest: Contestant = async (stage) => {
	const { lookingNode, runNode } = await loadN8n();
	const { data } = await openGateway(stage, 1).submitVideo({
		model: VIDEO_MODEL,
		prompt: 'A boat',
	});
	const items = Array.from({ length: REQUESTS }, () => ({ task: data[0]?.id ?? '' }));
	const node: NodeOnTest = { ...lookingNode(stage), onError: 'continueRegularOutput' };
	return async () => {
		let answered = 0;
		const { cpu } = await timed(async () => {
			const looks = await runNode(node, items);
			answered = looks.filter(({ json }) => json.status !== undefined).length;
		});
		return { [CPU]: (1000 * cpu) / answered };
	};
};

export const manyVideos: Bench = {
	name: 'many-videos',
	what: `${number(VIDEOS)} videos in flight`,
	method: `${number(VIDEOS)} items through Video Generation (Generate) with its default of a poll every ${INTERVAL} seconds, in real time. The videos take
one to three minutes, spread evenly. The time is from the start of the workflow to its end, with all submissions. The CPU time is that
of the execution, less that of one that only submits the same ${number(VIDEOS)} videos, by the polls that the service counts. The HTTP Request node
asks for the state of a task ${number(REQUESTS)} times; what failed of that does not count. "${SEQUENTIAL}" is how n8n's OpenAI node generates videos: it submits one, polls it
with pauses until it is finished, and then continues with the next. For ${number(VIDEOS)} videos that is calculated, with the same interval.`,
	cost: `\`video/taskPoller.ts\`, 220 lines: one poller for all tasks of an execution. A task in a wait is an entry in a set and does not count towards
the requests in flight. Some 30 of the lines combine polls that are due within a fiftieth of the interval, which saves a quarter of
the CPU time. The service has no list of tasks: each poll is a request.`,
	goals: [
		{ figure: TIME, peer: SLOWEST, of: 'ratio', atMost: 1.1 },
		{ figure: CPU, peer: HTTP_REQUEST, of: 'ratio', atMost: 0.1 },
	],
	contestants: { [OURS]: ours, [HTTP_REQUEST]: httpRequest },
	async run(competition) {
		const service = await competition.service({ encodings: [], videoSeconds: SECONDS });
		const theirs = await competition.measure([HTTP_REQUEST], service, { repetitions: 3 });
		const { [OURS]: own } = await competition.measure([OURS], service, {
			repetitions: 1,
			warmUps: 0,
			watch: async (measure) => {
				const before = await service.polls();
				const { polling = NaN, ...sample } = await measure();
				return { ...sample, [CPU]: polling / ((await service.polls()) - before) };
			},
		});
		const measured = {
			[OURS]: own,
			...theirs,
			[SLOWEST]: { [TIME]: Math.max(...durations) },
			[SEQUENTIAL]: { [TIME]: oneAfterTheOther() },
		};
		return {
			comparisons: [
				compare(measured, TIME, 's', SLOWEST),
				compare(measured, TIME, 's', SEQUENTIAL),
				compare(measured, CPU, 'µs', HTTP_REQUEST),
			],
			charts: [bars({ [OURS]: own, ...theirs }, CPU, 'CPU time of a poll, and of a request', 'µs')],
			notes: [],
		};
	},
};
