import { readExample } from '../host/seed';
import { filesFolder } from '../host/n8nServer';
import type { TableRow } from '../host/n8nApi';
import { until } from '../host/until';
import type { Journey } from './journey';
import { nodeOutput } from './nodeOutput';

/** Parameters that a test sets otherwise than the example does, by node. */
type Changes = Record<string, Record<string, unknown>>;

/** An example that was imported into n8n. */
export class ExamplePlay {
	private constructor(
		private readonly journey: Journey,
		readonly workflowId: string,
		private readonly trigger: { name: string; webhookId?: string | undefined },
	) {}

	static async import(journey: Journey, file: string, changes: Changes = {}): Promise<ExamplePlay> {
		const { api, credential, world } = journey;
		const example = await readExample(file, credential, filesFolder(world.userFolder));
		const nodes = example.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
		}));
		const workflowId = await api.createWorkflow({ ...example, nodes });
		const trigger = nodes.find(({ type }) => /Trigger$|webhook$/.test(type));
		if (trigger === undefined) throw new Error(`Nothing starts ${file}`);
		return new ExamplePlay(journey, workflowId, trigger);
	}

	static async publish(
		journey: Journey,
		file: string,
		changes: Changes = {},
	): Promise<ExamplePlay> {
		const play = await ExamplePlay.import(journey, file, changes);
		await journey.api.publish(play.workflowId);
		return play;
	}

	/** Fills in the form's only field and sends it off. */
	async sendForm(text: string): Promise<void> {
		const body = new FormData();
		body.set('field-0', text);
		const answer = await fetch(this.formUrl, { method: 'POST', body });
		expect(answer.status).toBe(200);
	}

	get formUrl(): string {
		return `${this.journey.world.url}/form/${this.trigger.webhookId}`;
	}

	/** Executes it as the editor's button does, to its good end. */
	async execute(): Promise<void> {
		await this.journey.api.execute(this.workflowId, this.trigger.name);
		expect((await this.outcomes())[0]).toBe('success');
	}

	/** Waits until all executions so far have ended. @returns how they ended, the latest first */
	async outcomes(): Promise<string[]> {
		const statuses = async () =>
			(await this.journey.api.executions(this.workflowId)).map(({ status }) => status);
		await until(async () => {
			const now = await statuses();
			return now.length > 0 && now.every((status) => !['new', 'running'].includes(status));
		});
		return await statuses();
	}

	/** @returns what a node put out in the latest execution */
	async itemsOf(node: string) {
		const { api } = this.journey;
		const [latest] = await api.executions(this.workflowId);
		return latest === undefined ? [] : await nodeOutput(api, latest.id, node);
	}

	/** Stops the latest execution, which runs or waits. */
	async stop(): Promise<void> {
		const { api } = this.journey;
		const [latest] = await api.executions(this.workflowId);
		if (latest !== undefined) await api.stopExecution(latest.id);
	}

	/** @returns the rows whose prompt contains these words */
	async rows(table: string, words: string): Promise<TableRow[]> {
		const rows = await this.journey.api.tableRows(table);
		return rows.filter(({ prompt }) => String(prompt).includes(words));
	}

	async end(): Promise<void> {
		await this.journey.api.unpublish(this.workflowId);
	}
}
