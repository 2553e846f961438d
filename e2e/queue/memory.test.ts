// Needs a quiet machine: it measures.

import { setTimeout as pause } from 'node:timers/promises';
import { median, medians } from '../../bench/harness/measure';
import type { NodeGiven } from '../browser/workflow';
import { record } from './host/results';
import { SingleN8n } from './host/singleN8n';
import { callWebhook, scaled, video, webhook } from './host/videos';
import { submitByHttp, waitNode } from './host/peers';

/** Executions that wait at the same moment. */
const EXECUTIONS = scaled(500);
/** Executions that load what n8n loads once. Their memory does not count towards the others. */
const FIRST = 50;
/** The candidates take turns, each time in a new process. */
const ROUNDS = 2;
const SAMPLES = 3;
const SAMPLE_MS = 2000;
/** No wait ends before it is measured. */
const WAIT_S = 3600;
const MAX_MS = 500_000;
/** After a garbage collection, the heaps of two processes that do the same differ by less than 0.5 %. */
const NOISE = 1.01;
/** With n8n's Wait node alone, no client of the service is loaded. */
const WITH_CLIENT = 1.06;

const VIDEO = video('database', {
	waitOptions: { waitIn: 'database', pollInterval: WAIT_S, maxWait: 2 * WAIT_S },
});
const candidates: Record<string, (n8n: SingleN8n) => NodeGiven[]> = {
	Wait: () => [waitNode(WAIT_S)],
	'HTTP Request, Wait': ({ simulator }) => [submitByHttp(simulator), waitNode(WAIT_S)],
	Video: () => [VIDEO],
};

/** The memory of a new process while all executions wait and nothing runs. */
async function measure(nodes: (n8n: SingleN8n) => NodeGiven[], like: SingleN8n) {
	const n8n = await SingleN8n.start({ videoSeconds: 1 }, like);
	try {
		const id = await n8n.publish('waiting', [webhook('waiting'), ...nodes(n8n)]);
		const begin = async (count: number, all: number) => {
			await callWebhook(n8n, 'waiting', count);
			await n8n.untilCounted(id, ['waiting'], all, MAX_MS);
			return await settled(n8n);
		};
		const first = await begin(FIRST, FIRST);
		const { heapMiB, rssMiB } = await begin(EXECUTIONS - FIRST, EXECUTIONS);
		const heapKiBEach = (1024 * (heapMiB - first.heapMiB)) / (EXECUTIONS - FIRST);
		return { heapMiB, rssMiB, heapKiBEach };
	} finally {
		await n8n.stop();
	}
}

async function settled(n8n: SingleN8n) {
	const samples: Array<{ heapMiB: number; rssMiB: number }> = [];
	for (let sample = 0; sample < SAMPLES; sample += 1) {
		await pause(SAMPLE_MS);
		samples.push(await n8n.memory());
	}
	return {
		heapMiB: median(samples.map(({ heapMiB }) => heapMiB)),
		rssMiB: median(samples.map(({ rssMiB }) => rssMiB)),
	};
}

const rounded = (value: number) => Math.round(10 * value) / 10;

test(
	`while ${EXECUTIONS} videos wait, n8n uses no more memory than with HTTP Request and Wait`,
	async () => {
		const rounds: Record<string, Array<Record<string, number>>> = {};
		const like = await SingleN8n.start({});
		try {
			for (let round = 0; round < ROUNDS; round += 1) {
				for (const [name, nodes] of Object.entries(candidates))
					(rounds[name] ??= []).push(await measure(nodes, like));
			}
		} finally {
			await like.stop();
		}
		process.stdout.write(`${JSON.stringify(rounds, undefined, '\t')}\n`);
		const heap: Record<string, number> = {};
		for (const [name, all] of Object.entries(rounds)) {
			const figures = medians(all);
			heap[name] = figures.heapMiB ?? NaN;
			const shown = Object.entries(figures).map(([what, value]) => [what, rounded(value)]);
			await record(`${EXECUTIONS} executions wait in one n8n`, name, Object.fromEntries(shown));
		}
		const { Wait = NaN, 'HTTP Request, Wait': Http = NaN, Video = NaN } = heap;
		expect(Video / Http).toBeLessThan(NOISE);
		expect(Video / Wait).toBeLessThan(WITH_CLIENT);
	},
	2 * ROUNDS * MAX_MS,
);
