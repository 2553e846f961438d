import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { unflatten } from './unflatten';
import { until } from './until';

/** The only user of the n8n that is started here. */
export const OWNER = { email: 'owner@example.com', firstName: 'Olive', lastName: 'Owner' };

/** n8n wants a digit and a capital letter. */
export const newPassword = () => `${randomBytes(9).toString('base64url')}-A1`;

/** Of each n8n that lasts no longer than this process. */
const PASSWORD_OF_PROCESS = newPassword();

/** n8n binds a login to a browser. */
export const BROWSER_ID = 'n8n-host';

const settings = z.object({ userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }) });
const withId = z.object({ id: z.string() });
const named = z.array(z.object({ id: z.string(), name: z.string() }));
const versioned = z.object({ versionId: z.string() });
const publication = z.object({ status: z.string(), triggers: z.array(z.unknown()) });
const executions = z.object({
	results: z.array(z.object({ id: z.string(), status: z.string(), mode: z.string() })),
});
const counted = z.object({ count: z.number() });
const storedExecution = z.object({ status: z.string(), data: z.string() });
const items = z.array(z.looseObject({ json: z.record(z.string(), z.unknown()) }));
const runData = z.object({
	resultData: z.object({
		error: z.looseObject({ message: z.string() }).optional(),
		runData: z.record(
			z.string(),
			z.array(
				z.object({
					hints: z.array(z.object({ message: z.string() })).optional(),
					data: z
						.object({
							/** Of sub-nodes: none. */
							main: z.array(items.nullable()).default([]),
							/** What a chat model answered. */
							ai_languageModel: z.array(items.nullable()).default([]),
						})
						.optional(),
				}),
			),
		),
	}),
});
const tables = z.object({
	data: z.array(z.object({ id: z.string(), name: z.string(), projectId: z.string() })),
});
const tableRows = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
const started = z.object({ executionId: z.string() });

export type TableRow = Record<string, unknown>;
export type Credential = { id: string; name: string };

/** The part of the editor's REST API that the tests need, signed in as the owner. */
export class N8nApi {
	private constructor(
		readonly url: string,
		readonly cookie: string,
	) {}

	/** Signs in as the owner, who is created on the first start. */
	static async signIn(url: string, password = PASSWORD_OF_PROCESS): Promise<N8nApi> {
		const anonymous = new N8nApi(url, '');
		const { userManagement } = settings.parse(await anonymous.call('GET', '/settings'));
		const response = userManagement.showSetupOnFirstLoad
			? await anonymous.send('POST', '/owner/setup', { ...OWNER, password })
			: await anonymous.send('POST', '/login', { emailOrLdapLoginId: OWNER.email, password });
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
		return new N8nApi(url, cookies.join('; '));
	}

	/** Uses an existing session: n8n allows only a few sign-ins per minute. */
	static signedIn(url: string, cookie: string): N8nApi {
		return new N8nApi(url, cookie);
	}

	/** Creates a credential, or updates the one with this name. */
	async saveCredential(name: string, type: string, data: object): Promise<Credential> {
		const existing = await this.findByName('/credentials', name);
		const body = { name, type, data };
		const saved = existing
			? await this.call('PATCH', `/credentials/${existing}`, body)
			: await this.call('POST', '/credentials', body);
		return { id: withId.parse(saved).id, name };
	}

	async hasWorkflow(name: string): Promise<boolean> {
		return (await this.findByName('/workflows', name)) !== undefined;
	}

	/** @returns the workflow's id */
	async createWorkflow(content: object): Promise<string> {
		return withId.parse(await this.call('POST', '/workflows', content)).id;
	}

	/** Creates a workflow that is published. @returns its id */
	async publishWorkflow(content: object): Promise<string> {
		const id = await this.createWorkflow(content);
		await this.publish(id);
		return id;
	}

	/** Publishes a workflow, and waits until its triggers work: n8n responds before that. */
	async publish(workflowId: string): Promise<void> {
		const workflow = `/workflows/${workflowId}`;
		const { versionId } = versioned.parse(await this.call('GET', workflow));
		await this.call('POST', `${workflow}/activate`, { versionId });
		await until(async () => {
			const response = await this.call('GET', `${workflow}/publication-status`);
			const { status, triggers } = publication.parse(response);
			if (status === 'failed' || status === 'partial')
				throw new Error(`n8n did not publish the workflow: ${JSON.stringify(triggers)}`);
			// Just before its triggers are stored, n8n calls one "not_published".
			return status === 'published';
		});
	}

	async unpublish(workflowId: string): Promise<void> {
		await this.call('POST', `/workflows/${workflowId}/deactivate`, {});
	}

	/**
	 * Executes a workflow like the button in the editor.
	 * @returns the execution's id
	 */
	async execute(workflowId: string, trigger: string): Promise<string> {
		const body = { triggerToStartFrom: { name: trigger } };
		return started.parse(await this.call('POST', `/workflows/${workflowId}/run`, body)).executionId;
	}

	/** @returns how many executions of the workflow have one of these statuses */
	async countExecutions(workflowId: string, status: string[]): Promise<number> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, status }));
		return counted.parse(await this.call('GET', `/executions?limit=1&filter=${filter}`)).count;
	}

	/** @returns the output of each node, by run and output */
	async executionData(executionId: string) {
		const { data } = storedExecution.parse(await this.call('GET', `/executions/${executionId}`));
		return runData.parse(unflatten(data)).resultData;
	}

	/** @param file the id of a binary field */
	async download(file: string): Promise<Response> {
		return await this.send('GET', `/binary-data?id=${encodeURIComponent(file)}&action=download`);
	}

	/** n8n's Retry of a failed or stopped execution, with the original workflow. */
	async retry(executionId: string): Promise<void> {
		await this.call('POST', `/executions/${executionId}/retry`, { loadWorkflow: false });
	}

	async stopExecution(executionId: string): Promise<void> {
		await this.call('POST', `/executions/${executionId}/stop`);
	}

	/** @returns the rows of a data table; none if there is no such table */
	async tableRows(name: string): Promise<TableRow[]> {
		const table = await this.findTable(name);
		if (table === undefined) return [];
		return tableRows.parse(await this.call('GET', `${table}/rows?take=250`)).data;
	}

	async addTableRows(name: string, rows: TableRow[]): Promise<void> {
		await this.call('POST', `${await this.findTable(name)}/insert`, { data: rows });
	}

	/** Changes the rows with this value in a column. */
	async updateTableRows(
		name: string,
		columnName: string,
		value: string,
		data: TableRow,
	): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName, condition: 'eq', value }] };
		await this.call('PATCH', `${await this.findTable(name)}/rows`, { filter, data });
	}

	/** @returns the path of a data table */
	private async findTable(name: string): Promise<string | undefined> {
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const { data } = tables.parse(await this.call('GET', `/data-tables-global?filter=${filter}`));
		const table = data.find((candidate) => candidate.name === name);
		return table && `/projects/${table.projectId}/data-tables/${table.id}`;
	}

	/** @returns the workflow's executions, or those that have one of these statuses, the latest first */
	async executions(workflowId: string, status?: string[], limit = 20) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, status }));
		const path = `/executions?limit=${limit}&filter=${filter}`;
		return executions.parse(await this.call('GET', path)).results;
	}

	private async findByName(path: string, wanted: string): Promise<string | undefined> {
		const all = named.parse(await this.call('GET', path));
		return all.find(({ name }) => name === wanted)?.id;
	}

	/**
	 * @returns `data` of n8n's response
	 * @throws Error with n8n's message
	 */
	async call(method: string, path: string, body?: object): Promise<unknown> {
		const response: unknown = await (await this.send(method, path, body)).json();
		return z.object({ data: z.unknown().optional() }).parse(response).data;
	}

	private async send(method: string, path: string, body?: object): Promise<Response> {
		const response = await this.fetch(method, path, body);
		if (response.ok) return response;
		const text = await response.text();
		// A busy n8n says so whenever its last ping of the database took too long, and does nothing.
		if (response.status !== 503 || !text.includes('Database is not ready'))
			throw new Error(`n8n refused ${method} ${path}: ${text}`);
		await pause(1_000);
		return await this.send(method, path, body);
	}

	private async fetch(method: string, path: string, body?: object): Promise<Response> {
		return await fetch(`${this.url}/rest${path}`, {
			method,
			headers: {
				'browser-id': BROWSER_ID,
				// n8n closes an idle connection after 5 seconds, which a busy test process notices too late.
				connection: 'close',
				...(this.cookie !== '' && { cookie: this.cookie }),
				...(body && { 'content-type': 'application/json' }),
			},
			...(body && { body: JSON.stringify(body) }),
		});
	}
}
