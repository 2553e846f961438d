import { type Credentials, readExample } from '../host/seed';
import { filesFolder } from '../host/n8nServer';
import type { TableRow } from '../host/n8nApi';
import { until } from '../host/until';
import type { ServerJourney } from './journey';
import { nodeOutput } from './nodeOutput';

/** Parameters that a test changes, by node. */
type Changes = Record<string, Record<string, unknown>>;

/** An example workflow in n8n. */
export class ImportedExample {
	private constructor(
		private readonly journey: ServerJourney,
		readonly workflowId: string,
		private readonly trigger: { name: string; webhookId?: string | undefined },
	) {}

	static async import(
		journey: ServerJourney,
		file: string,
		changes: Changes = {},
		theirs: Credentials = {},
	): Promise<ImportedExample> {
		const { api, credential, environment } = journey;
		const credentials = { generationServiceApi: credential, ...theirs };
		const example = await readExample(file, credentials, filesFolder(environment.userFolder));
		const nodes = example.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
		}));
		const workflowId = await api.createWorkflow({ ...example, nodes });
		const trigger = nodes.find(({ type }) => /Trigger$|webhook$/.test(type));
		if (trigger === undefined) throw new Error(`${file} has no trigger`);
		return new ImportedExample(journey, workflowId, trigger);
	}

	static async publish(
		journey: ServerJourney,
		file: string,
		changes: Changes = {},
		theirs: Credentials = {},
	): Promise<ImportedExample> {
		const play = await ImportedExample.import(journey, file, changes, theirs);
		await journey.api.publish(play.workflowId);
		return play;
	}

	/** Fills in the fields of the form, the first one first, and submits it. */
	async submitForm(...texts: string[]): Promise<void> {
		const body = new FormData();
		for (const [index, text] of texts.entries()) body.set(`field-${index}`, text);
		const response = await fetch(this.formUrl, { method: 'POST', body });
		expect(response.status).toBe(200);
	}

	get formUrl(): string {
		return `${this.journey.environment.url}/form/${this.trigger.webhookId}`;
	}

	/** Executes the workflow like the button in the editor, and expects it to succeed. */
	async execute(): Promise<void> {
		await this.journey.api.execute(this.workflowId, this.trigger.name);
		expect((await this.finishedStatuses())[0]).toBe('success');
	}

	/** Waits until all executions have ended. @returns their statuses, the latest first */
	async finishedStatuses(): Promise<string[]> {
		const statuses = async () =>
			(await this.journey.api.executions(this.workflowId)).map(({ status }) => status);
		await until(async () => {
			const now = await statuses();
			return now.length > 0 && now.every((status) => !['new', 'running'].includes(status));
		});
		return await statuses();
	}

	/** @returns the output of a node in the latest execution */
	async itemsOf(node: string) {
		const { api } = this.journey;
		const [latest] = await api.executions(this.workflowId);
		return latest === undefined ? [] : await nodeOutput(api, latest.id, node);
	}

	/** Stops the latest execution. */
	async stop(): Promise<void> {
		const { api } = this.journey;
		const [latest] = await api.executions(this.workflowId);
		if (latest !== undefined) await api.stopExecution(latest.id);
	}

	/** @returns the rows whose prompt contains this text */
	async rows(table: string, text: string): Promise<TableRow[]> {
		const rows = await this.journey.api.tableRows(table);
		return rows.filter(({ prompt }) => String(prompt).includes(text));
	}

	async unpublish(): Promise<void> {
		await this.journey.api.unpublish(this.workflowId);
	}
}
