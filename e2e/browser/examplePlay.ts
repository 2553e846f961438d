import { readExample } from '../host/furnish';
import type { TableRow } from '../host/n8nApi';
import type { Journey } from './journey';
import { until } from '../host/until';

/** Parameters that a test sets otherwise than the example does, by node. */
type Changes = Record<string, Record<string, unknown>>;

/** An example that was imported into n8n and published. */
export class ExamplePlay {
	private constructor(
		private readonly journey: Journey,
		readonly workflowId: string,
		/** The last part of the address that starts it, if it has one. */
		private readonly address: string | undefined,
	) {}

	static async publish(
		journey: Journey,
		file: string,
		changes: Changes = {},
	): Promise<ExamplePlay> {
		const { api, credential } = journey;
		const example = await readExample(file, credential, '');
		const nodes = example.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
		}));
		const workflowId = await api.createWorkflow({ ...example, nodes });
		await api.publish(workflowId);
		const start = nodes.find(({ type }) => /formTrigger|webhook/.test(type));
		return new ExamplePlay(journey, workflowId, start?.webhookId);
	}

	/** Fills in the form's only field and sends it off. */
	async sendForm(text: string): Promise<void> {
		const url = `${this.journey.world.url}/form/${this.address}`;
		const body = new FormData();
		body.set('field-0', text);
		const answer = await fetch(url, { method: 'POST', body });
		expect(answer.status).toBe(200);
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
