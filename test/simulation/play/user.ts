import type { Scenario } from '../scenario/schema';
import { itemsOfScenario, type workflowOfScenario } from '../scenario/workflow';
import type { createService } from '../service';
import { edited, reformatted } from './edits';
import type { EngineHost } from './engine';
import type { N8nServer } from './n8nServer';

type Service = ReturnType<typeof createService>;
type Credentials = ReturnType<EngineHost['credentials']>;

/** No service knows it. */
export const REFUSED = 'sk-wrong-key-0123456789abcdef';

/** Who has the credentials, and retries what failed. */
export class User {
	credentials: Credentials;
	private baseUrl: string;
	private readonly afterwards: Scenario['afterwards'];

	constructor(
		private readonly scenario: Scenario,
		private readonly workflow: ReturnType<typeof workflowOfScenario>,
		private readonly server: N8nServer,
		private readonly service: Service,
		private readonly note: (text: string) => void,
	) {
		this.afterwards = [...scenario.afterwards];
		this.baseUrl = service.url;
		this.credentials = this.credentialsAt(this.baseUrl);
	}

	/** Both are there, and name the service's first host. */
	restoreCredentials(): void {
		this.moveTo(this.service.url);
	}

	deleteCredentials(): void {
		this.note('the credential is deleted');
		this.credentials = {};
	}

	moveService(): void {
		this.note('the credential names another host of the service');
		// One that was deleted stays so.
		if (Object.keys(this.credentials).length > 0) this.moveTo(this.service.alias);
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
			if (next === 'retryMoved') this.moveService();
			else if (next === 'retryHome') this.restoreCredentials();
			else if (next === 'retryOther') this.moveTo(this.service.other);
			else this.credentials = this.credentialsAt(this.baseUrl, REFUSED);
			server.retry(last);
		}
		return true;
	}

	private moveTo(baseUrl: string): void {
		this.baseUrl = baseUrl;
		this.credentials = this.credentialsAt(baseUrl);
	}

	private credentialsAt(baseUrl: string, apiKey = this.service.keys.main): Credentials {
		return {
			Service: { baseUrl, apiKey },
			Other: { baseUrl, apiKey: this.service.keys.other },
		};
	}
}
