import type { Scenario } from '../scenario/schema';
import { itemsOfScenario, type workflowOfScenario } from '../scenario/workflow';
import type { Service } from '../service/service';
import { edited, reformatted } from './edits';
import type { N8nServer } from './n8nServer';

type Credentials = Record<string, { baseUrl: string; apiKey: string }>;

/** Who has the credentials, and retries what failed. */
export class User {
	/** By their names. */
	credentials: Credentials;
	private readonly afterwards: Scenario['afterwards'];

	constructor(
		private readonly scenario: Scenario,
		private readonly workflow: ReturnType<typeof workflowOfScenario>,
		private readonly server: N8nServer,
		private readonly service: Service,
		private readonly note: (text: string) => void,
	) {
		this.afterwards = [...scenario.afterwards];
		this.credentials = this.credentialsAt(service.url);
	}

	/** Both are there, and name the service's first host. */
	restoreCredentials(): void {
		this.credentials = this.credentialsAt(this.service.url);
	}

	deleteCredentials(): void {
		this.note('the credential is deleted');
		this.credentials = {};
	}

	moveService(): void {
		this.note('the credential names another host of the service');
		// One that was deleted stays so.
		if (Object.keys(this.credentials).length > 0)
			this.credentials = this.credentialsAt(this.service.alias);
	}

	/**
	 * What the user does when the latest execution did not succeed.
	 * @returns whether there was something to do
	 */
	goOn(): boolean {
		const { server, workflow, scenario } = this;
		// A user retries the workflow that was started, not the sub-workflow that it called.
		const last = server.rows.filter(({ parent }) => parent === undefined).at(-1);
		if (last === undefined || last.status === 'success' || !server.isUp) return false;
		const next = this.afterwards.shift();
		if (next === undefined) return false;
		this.note(`the user: ${next}`);
		// Who has stopped an execution runs the workflow in the editor.
		const mode = last.status === 'canceled' ? 'manual' : 'trigger';
		if (next === 'again') server.execute(workflow, itemsOfScenario(scenario.items), mode);
		else if (next === 'retry') server.retry(last);
		else if (next === 'retrySaved') server.retry(last, last.workflow);
		else if (next === 'retryEdited') server.retry(last, edited(last.workflow));
		else if (next === 'retryReformatted') server.retry(last, reformatted(last.workflow));
		else {
			this.moveService();
			server.retry(last);
		}
		return true;
	}

	private credentialsAt(baseUrl: string): Credentials {
		const { main, other } = this.service.keys;
		return { Service: { baseUrl, apiKey: main }, Other: { baseUrl, apiKey: other } };
	}
}
