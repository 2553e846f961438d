import type { NodeGiven } from '../../browser/workflow';
import type { Cluster } from '../host/cluster';
import { splitOut, video, webhook } from '../host/videos';

/** Says in every task which execution, workflow and item ordered it. */
const promptOf = (workflow: string, item = '{{ $itemIndex }}') =>
	`=${workflow} {{ $execution.id }} ${item}|`;

const database = (workflow: string, parameters: object = {}) =>
	video('database', { prompt: promptOf(workflow), ...parameters });

/** How many items the last node of each workflow has in the end; the child is called by the sub-workflow. */
const ITEMS: Record<string, number> = { one: 1, three: 3, many: 20, files: 3, tries: 3, sub: 1 };

/** @param child the id of the workflow that the sub-workflow calls */
export const WORKFLOWS: Record<string, (child: string) => NodeGiven[]> = {
	child: () => [
		{
			name: 'Called',
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		},
		database('child'),
	],
	one: () => [webhook('one'), database('one')],
	three: () => [webhook('three'), database('three', { options: { n: 3 } })],
	many: () => [webhook('many'), splitOut('Prompts', 'body.prompts'), database('many')],
	files: () => [
		webhook('files'),
		splitOut('Prompts', 'body.prompts'),
		database('files', { download: true }),
	],
	tries: () => [
		webhook('tries'),
		splitOut('Prompts', 'body.prompts'),
		{ ...database('tries'), retryOnFail: true, maxTries: 3 },
	],
	sub: (child) => [
		webhook('sub'),
		{
			name: 'Video',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				workflowId: { __rl: true, mode: 'id', value: child },
				options: { waitForSubWorkflow: true },
			},
		},
	],
};

interface Execution {
	id: string;
	status: string;
	workflow: string;
}

/** What was ordered while processes were killed, and what became of it. */
export class Orders {
	constructor(
		private readonly cluster: Cluster,
		/** The ids of the workflows, by name. */
		private readonly ids: Map<string, string>,
	) {}

	/** The workflows that a webhook starts. */
	get names(): string[] {
		return Object.keys(ITEMS);
	}

	prompts(name: string): string[] {
		return Array.from({ length: ITEMS[name] ?? 1 }, (_, number) => String(number));
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
	 * Does what docs/scaling.md tells an operator.
	 * @returns how many executions needed it
	 */
	async remedy(): Promise<number> {
		const { api } = this.cluster;
		const left = (await this.executions()).filter(
			({ status, workflow }) =>
				workflow !== 'sub' && (status === 'crashed' || status === 'running'),
		);
		for (const { id, status } of left) {
			if (status === 'running') await api.stopExecution(id);
			await api.retry(id);
		}
		return left.length;
	}

	/** The orders with more than one submission. */
	paidTwice(): string[] {
		const submissions = new Map<string, Set<string>>();
		for (const { prompt, submissionId } of this.cluster.simulator.tasks) {
			const [order = ''] = prompt.split('|');
			submissions.set(order, (submissions.get(order) ?? new Set()).add(submissionId));
		}
		return [...submissions].filter(([, ids]) => ids.size > 1).map(([order]) => order);
	}

	/** The tasks that are in no log. */
	async unnamed() {
		const logs = await this.cluster.logs();
		const executions = await this.executions();
		const tasks = this.cluster.simulator.tasks.filter(({ id }) => !logs.includes(id));
		const orders = tasks.map(({ prompt }) => prompt.split('|')[0] ?? '');
		const isSuccess = (order: string) =>
			executions.some(({ id, status }) => id === order.split(' ')[1] && status === 'success');
		return {
			ofKilledLegs: orders.filter((order) => !isSuccess(order)),
			others: orders.filter(isSuccess),
		};
	}

	/** The successful executions without all their videos. A parent may have the input of its child instead (n8n's own). */
	async wrongSuccesses(): Promise<string[]> {
		const wrong: string[] = [];
		for (const { id, status, workflow } of await this.executions()) {
			const expected = ITEMS[workflow];
			if (status !== 'success' || expected === undefined || workflow === 'sub') continue;
			const { runData } = await this.cluster.api.executionData(id);
			const items = runData.Video?.at(-1)?.data?.main[0] ?? [];
			const finished = items.filter(({ json }) => json.status === 'completed');
			if (finished.length !== expected) wrong.push(`${workflow} ${id}: ${finished.length} videos`);
		}
		return wrong;
	}
}
