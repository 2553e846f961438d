import { setTimeout } from 'node:timers/promises';
import { spread } from '../../simulator/video/tasks';
import {
	bars,
	type Benchmark,
	type Build,
	BUILDS,
	compare,
	type Candidate,
	CPU_NOISE,
	ofBothBuilds,
	type Measured,
	type Target,
} from '../benchmark';
import { number } from '../report/format';
import { openGateway } from '../harness/gateway';
import { inParallel, timed } from '../harness/measure';
import { AT_ONCE, POLL_SECONDS, VIDEO_MODEL } from '../harness/workload';
import { loadN8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';

const VIDEOS = 1_000;
const SECONDS = [60, 180] as const;
const REQUESTS = 1_000;
const TIME = 'time until all videos are finished';
const CPU = 'CPU per poll';
const SLOWEST = 'the slowest video';
const SEQUENTIAL = 'one after the other';
const HTTP_REQUEST = 'HTTP Request node';
const UNDICI = 'undici';
/** Polls of each task by undici. */
const ROUNDS = 12;

const durations = Array.from({ length: VIDEOS }, (_, video) => spread(SECONDS, video));

/** Submits a video, polls it until it is finished with a pause after each poll, and only then submits the next one. */
function oneAfterTheOther(): number {
	const polls = durations.map((seconds) => Math.ceil(seconds / POLL_SECONDS) + 1);
	return polls.reduce((sum, count) => sum + count * POLL_SECONDS, 0);
}

const ours =
	(build: Build): Candidate =>
	async (target) => {
		const { generateNode, prompts, runNode, submitNode } = await loadN8n();
		const items = prompts(VIDEOS);
		const submit = async () =>
			await timed(async () => await runNode(submitNode(target, build), items));
		await submit();
		return async () => {
			const alone = await submit();
			const { wall, cpu } = await timed(async () => {
				const videos = await runNode(generateNode(target, build), items);
				const finished = videos.filter(({ json }) => json.status === 'completed').length;
				if (finished !== VIDEOS) throw new Error(`${finished} of ${VIDEOS} videos are finished`);
			});
			return { [TIME]: wall / 1000, polling: 1000 * (cpu - alone.cpu) };
		};
	};

async function submitOne(target: Target): Promise<string> {
	const request = { model: VIDEO_MODEL, prompt: 'A boat' };
	const { data } = await openGateway(target, 1).submitVideo(request);
	return data[0]?.id ?? '';
}

const httpRequest: Candidate = async (target) => {
	const { pollNode, runNode } = await loadN8n();
	const task = await submitOne(target);
	const items = Array.from({ length: REQUESTS }, () => ({ task }));
	const node: NodeUnderTest = { ...pollNode(target), onError: 'continueRegularOutput' };
	return async () => {
		let answered = 0;
		const { cpu } = await timed(async () => {
			const polls = await runNode(node, items);
			answered = polls.filter(({ json }) => json.status !== undefined).length;
		});
		return { [CPU]: (1000 * cpu) / answered };
	};
};

/** As many tasks, each polled after the same interval: at a pace, each request wakes the process up. */
const undici: Candidate = async (target) => {
	const task = await submitOne(target);
	const { poll } = openPool(target, AT_ONCE);
	const pollOften = async (video: number) => {
		await setTimeout((POLL_SECONDS * 1000 * video) / VIDEOS);
		for (let round = 0; round < ROUNDS; round += 1) {
			await poll(task);
			await setTimeout(POLL_SECONDS * 1000);
		}
	};
	return async () => {
		const { cpu } = await timed(async () => await inParallel(VIDEOS, VIDEOS, pollOften));
		return { [CPU]: (1000 * cpu) / (VIDEOS * ROUNDS) };
	};
};

export const manyVideos: Benchmark = {
	name: 'many-videos',
	title: `${number(VIDEOS)} videos in flight`,
	method: `${number(VIDEOS)} items through Video Generation (Generate) with a poll every ${POLL_SECONDS} seconds, in real time. The videos take
one to three minutes, spread evenly. The time includes submissions; the CPU time per poll does not. The HTTP Request node
gets the status of a task ${number(REQUESTS)} times; failed requests do not count. undici polls as many tasks after the same interval, ${ROUNDS} times
each. "${SEQUENTIAL}" is how n8n's OpenAI node generates videos; its time is calculated, with the same interval.`,
	goals: [
		{ figure: TIME, peer: SLOWEST, builds: ['verified', 'undici'], of: 'ratio', atMost: 1.1 },
		{
			...{ figure: CPU, peer: HTTP_REQUEST, builds: ['undici'], of: 'ratio', atMost: 0.1 },
			noise: CPU_NOISE,
		},
		{
			...{ figure: CPU, peer: UNDICI, builds: ['undici'], of: 'ratio', atMost: 1.5 },
			noise: CPU_NOISE,
		},
	],
	candidates: { ...ofBothBuilds(ours), [HTTP_REQUEST]: httpRequest, [UNDICI]: undici },
	async run(runner) {
		const service = await runner.service({ encodings: [], videoSeconds: SECONDS });
		const theirs = {
			...(await runner.measure([HTTP_REQUEST], service, { repetitions: 3 })),
			...(await runner.measure([UNDICI], service, { repetitions: 1, warmUps: 0 })),
		};
		const own: Measured = {};
		for (const name of Object.values(BUILDS)) {
			const one = await runner.measure([name], service, {
				repetitions: 1,
				warmUps: 0,
				wrap: async (measure) => {
					const before = await service.polls();
					const { polling = NaN, ...sample } = await measure();
					return { ...sample, [CPU]: polling / ((await service.polls()) - before) };
				},
			});
			Object.assign(own, one);
		}
		const measured = {
			...own,
			...theirs,
			[SLOWEST]: { [TIME]: Math.max(...durations) },
			[SEQUENTIAL]: { [TIME]: oneAfterTheOther() },
		};
		return {
			comparisons: [
				compare(measured, TIME, 's', SLOWEST),
				compare(measured, TIME, 's', SEQUENTIAL),
				compare(measured, CPU, 'µs', HTTP_REQUEST),
				compare(measured, CPU, 'µs', UNDICI),
			],
			charts: [bars({ ...own, ...theirs }, CPU, 'CPU time per poll', 'µs')],
			notes: [],
		};
	},
};
