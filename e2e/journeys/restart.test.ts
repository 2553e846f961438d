import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../simulator';
import { Visit } from '../browser/visit';
import { readExample, saveSimulatorCredential } from '../host/seed';
import { N8nApi } from '../host/n8nApi';
import { startN8n } from '../host/n8nServer';
import { copyPackage } from '../host/packageInstall';
import { until } from '../host/until';
import { theEnvironment } from '../setup/environment';

/** The example waits for more than a minute before it looks at its videos. */
const LONGEST_WAIT_MS = 240_000;
const LONGEST_MS = 2 * LONGEST_WAIT_MS;

const NAME = 'videos are made while n8n restarts';

test(
	NAME,
	async () => {
		const userFolder = await mkdtemp(join(tmpdir(), 'n8n-restart-'));
		const simulator = await startSimulator({ videoSeconds: 5 });
		await copyPackage(theEnvironment().userFolder, userFolder);
		let n8n = await startN8n(userFolder);
		try {
			const api = await N8nApi.signIn(n8n.url);
			const credential = await saveSimulatorCredential(api, simulator);
			const example = await readExample('durable-video-pipeline.json', credential, '');
			const id = await api.createWorkflow(example);
			await api.publish(id);
			const visit = await Visit.begin(NAME, api);
			const { page } = visit;
			await visit.walk(async () => {
				const form = example.nodes.find(({ name }) => name === 'Order Videos');
				await page.goto(`/form/${String(form?.['webhookId'])}`);
				await page.getByRole('textbox').fill('A paper boat on a lake\nA snail in a desert');
				await visit.look('the order');
				await page.getByRole('button').click();
				await until(async () => (await api.executions(id)).at(0)?.status === 'waiting');
				await page.goto(`/workflow/${id}/executions`);
				await page.getByText('Waiting').first().waitFor();
				await visit.look('waiting');
				expect(simulator.submissions).toBe(2);

				await n8n.stop();
				n8n = await startN8n(userFolder, undefined, Number(new URL(n8n.url).port));

				await until(
					async () => (await api.executions(id)).at(0)?.status === 'success',
					LONGEST_WAIT_MS,
				);
				await page.goto(`/workflow/${id}/executions`);
				await page.getByText('Succeeded').first().waitFor();
				await visit.look('done');
				await page.goto('/home/datatables');
				await page.getByText('Video pipeline').click();
				await page.getByText('completed').nth(1).waitFor();
				await visit.look('the table');
				expect(simulator.submissions).toBe(2);
			});
		} finally {
			await n8n.stop();
			await simulator.close();
			await rm(userFolder, { recursive: true, force: true });
		}
	},
	LONGEST_MS,
);
