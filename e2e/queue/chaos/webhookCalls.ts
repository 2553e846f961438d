import { z } from 'zod';
import { type NodeGiven, workflowOf } from '../../browser/workflow';
import type { Credential } from '../../host/n8nApi';
import type { Cluster } from '../host/cluster';
import { call, called, splitOut, video, webhook } from '../host/videos';
import { taskOf, type WebhookCall } from './task';

const triggered = z.object({ body: z.object({ call: z.number() }) });

type Workflow = ReturnType<typeof workflowOf>;

/** Says in every task which workflow, call and item it is of, and in which execution it was submitted. */
function promptOf(workflow: string, trigger: string, item: string): string {
	return `=${workflow} {{ $('${trigger}').first().json.body.call }} ${item} {{ $execution.id }}|`;
}

const database = (workflow: string, parameters: object = {}, item = '0') =>
	video('database', { prompt: promptOf(workflow, 'Webhook', item), ...parameters });

const EACH = "{{ $json['body.prompts'] }}";
const split = splitOut('Prompts', 'body.prompts');

/** How many items each workflow gets, and how many videos it makes of each. The child is called by the sub-workflow. */
const SIZES: Record<string, { items: number; n?: number }> = {
	one: { items: 1 },
	three: { items: 1, n: 3 },
	many: { items: 20 },
	files: { items: 3 },
	tries: { items: 3 },
	loop: { items: 5 },
	sub: { items: 1 },
};

/** @param child the id of the workflow that the sub-workflow calls */
const NODES: Record<string, (child: string) => NodeGiven[]> = {
	child: () => [called, video('database', { prompt: promptOf('sub', 'Called', '0') })],
	one: () => [webhook('one'), database('one')],
	three: () => [webhook('three'), database('three', { options: { n: 3 } })],
	many: () => [webhook('many'), split, database('many', {}, EACH)],
	files: () => [webhook('files'), split, database('files', { download: true }, EACH)],
	tries: () => [
		webhook('tries'),
		split,
		{ ...database('tries', {}, EACH), retryOnFail: true, maxTries: 3 },
	],
	loop: () => [
		webhook('loop'),
		split,
		{
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		},
		database('loop', {}, EACH),
	],
	sub: (child) => [webhook('sub'), call('Video', child)],
};

function workflowNamed(name: string, credential: Credential, child: string): Workflow {
	const workflow = workflowOf(name, credential, NODES[name]?.(child) ?? []);
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	if (name === 'loop')
		// The first output of the loop is done, the second one is a batch.
		Object.assign(workflow.connections, {
			Loop: { main: [[], to('Video')] },
			Video: { main: [to('Loop')] },
		});
	return workflow;
}

interface Execution {
	id: string;
	status: string;
	workflow: string;
}

/** What was submitted while processes were killed, and what became of it. */
export class WebhookCalls {
	private constructor(
		private readonly cluster: Cluster,
		/** The ids of the workflows, by name. */
		private readonly ids: Map<string, string>,
	) {}

	/** Publishes all workflows. */
	static async open(cluster: Cluster): Promise<WebhookCalls> {
		const ids = new Map<string, string>();
		for (const name of Object.keys(NODES)) {
			const workflow = workflowNamed(name, cluster.credential, ids.get('child') ?? '');
			const id = await cluster.api.publishWorkflow(workflow);
			ids.set(name, id);
		}
		return new WebhookCalls(cluster, ids);
	}

	/** What the webhook of a workflow gets: each workflow in turn. */
	next(number: number): { path: string; body: WebhookCall } {
		const names = Object.keys(SIZES);
		const path = names[number % names.length] ?? '';
		const { items = 1 } = SIZES[path] ?? {};
		return {
			path,
			body: { call: number, prompts: Array.from({ length: items }, (_, i) => `${i}`) },
		};
	}

	/** How many executions have not ended. A parent whose child ended while main was dead waits for ever (n8n's own). */
	async open(): Promise<number> {
		const isOpen = ({ status }: Execution) => ['new', 'running', 'waiting'].includes(status);
		const open = (await this.executions()).filter(isOpen);
		const hasChild = open.some(({ workflow }) => workflow === 'child');
		return open.filter(({ workflow, status }) => {
			return workflow !== 'sub' || status !== 'waiting' || hasChild;
		}).length;
	}

	async executions(): Promise<Execution[]> {
		const { api } = this.cluster;
		const all = await Promise.all(
			[...this.ids].map(async ([workflow, id]) =>
				(await api.executions(id, undefined, 250)).map((one) => ({ ...one, workflow })),
			),
		);
		return all.flat();
	}

	/**
	 * Does what docs/scaling.md tells an operator: Retry, where n8n stored all that was submitted.
	 * @returns how many executions needed it, and how many of them n8n had stored too early
	 */
	async remedy(): Promise<{ retried: number; left: number }> {
		const { api, simulator } = this.cluster;
		const lost = (await this.executions()).filter(
			({ status, workflow }) =>
				workflow !== 'sub' && (status === 'crashed' || status === 'running'),
		);
		let retried = 0;
		for (const { id, status } of lost) {
			const stored = JSON.stringify(await api.executionData(id));
			const submitted = simulator.tasks.filter(({ prompt }) => taskOf(prompt).execution === id);
			if (!submitted.every((task) => stored.includes(task.id))) continue;
			if (status === 'running') await api.stopExecution(id);
			await api.retry(id);
			retried += 1;
		}
		return { retried, left: lost.length - retried };
	}

	/** The items that were submitted more than once, by whichever execution. */
	paidTwice(): string[] {
		const submissions = new Map<string, Set<string>>();
		for (const task of this.cluster.simulator.tasks) {
			const { item } = taskOf(task.prompt);
			submissions.set(item, (submissions.get(item) ?? new Set()).add(task.submissionId));
		}
		return [...submissions].filter(([, ids]) => ids.size > 1).map(([item]) => item);
	}

	/** The tasks that are in no log. */
	async unnamed() {
		const logs = await this.cluster.logs();
		const executions = await this.executions();
		const unnamed = this.cluster.simulator.tasks
			.filter(({ id }) => !logs.includes(id))
			.map(({ prompt }) => taskOf(prompt));
		const isSuccess = (execution: string) =>
			executions.some(({ id, status }) => id === execution && status === 'success');
		return {
			ofKilledRuns: unnamed.filter(({ execution }) => !isSuccess(execution)),
			others: unnamed.filter(({ execution }) => isSuccess(execution)),
		};
	}

	/** The successful executions that do not have the videos of each of their items, in order. */
	async wrongSuccesses(): Promise<string[]> {
		const prompts = new Map(this.cluster.simulator.tasks.map(({ id, prompt }) => [id, prompt]));
		const wrong: string[] = [];
		for (const { id, status, workflow } of await this.executions()) {
			if (status !== 'success') continue;
			const { runData } = await this.cluster.api.executionData(id);
			const items = (runData.Video ?? []).flatMap(({ data }) => data?.main[0] ?? []);
			const made = items.map(({ json, binary }) => {
				const isWhole = json.status === 'completed' && (workflow !== 'files' || binary);
				return isWhole ? taskOf(prompts.get(String(json.task_id)) ?? '').item : 'no video';
			});
			const [trigger] = (runData.Webhook ?? runData.Called)?.[0]?.data?.main[0] ?? [];
			const { call } = triggered.parse(trigger?.json).body;
			const name = workflow === 'child' ? 'sub' : workflow;
			const { items: count = 0, n = 1 } = SIZES[name] ?? {};
			const expected = Array.from(
				{ length: count * n },
				(_, index) => `${name} ${call} ${Math.floor(index / n)}`,
			);
			if (made.join() !== expected.join()) wrong.push(`${workflow} ${id}: ${made.join()}`);
		}
		return wrong;
	}
}
