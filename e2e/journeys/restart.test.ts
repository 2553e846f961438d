import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../simulator';
import { Canvas } from '../browser/canvas';
import type { Journey } from '../browser/journey';
import { BrowserSession } from '../browser/browserSession';
import { readExample, saveSimulatorCredential } from '../host/seed';
import { N8nApi } from '../host/n8nApi';
import { filesFolder, startN8n } from '../host/n8nServer';
import { copyPackage } from '../host/packageInstall';
import { until } from '../host/until';
import { sharedEnvironment } from '../setup/environment';

/** The examples wait for more than a minute before they poll their videos. */
const WAIT_TIMEOUT_MS = 240_000;
const TEST_TIMEOUT_MS = 2 * WAIT_TIMEOUT_MS;

interface RestartJourney extends Omit<Journey, 'environment'> {
	/** The folder that the example writes to. */
	readonly files: string;
	/** Stops n8n and starts it again. */
	restart(): Promise<void>;
	/** Imports an example and publishes it. @returns its id, and the URL of its form */
	publish(example: string): Promise<{ id: string; form: string }>;
	untilStatus(workflow: string, ...wanted: string[]): Promise<void>;
}

/** A journey with its own n8n. */
function restartJourney(name: string, steps: (given: RestartJourney) => Promise<void>): void {
	const run = async () => {
		const userFolder = await mkdtemp(join(tmpdir(), 'n8n-restart-'));
		const simulator = await startSimulator({ videoSeconds: 5 });
		await copyPackage(sharedEnvironment().userFolder, userFolder);
		let n8n = await startN8n(userFolder);
		try {
			const api = await N8nApi.signIn(n8n.url);
			const credential = await saveSimulatorCredential(api, simulator);
			const files = filesFolder(userFolder);
			const session = await BrowserSession.start(name, api);
			const given: RestartJourney = {
				api,
				simulator,
				credential,
				files,
				page: session.page,
				screenshot: async (title) => await session.screenshot(title),
				async restart() {
					await n8n.stop();
					n8n = await startN8n(userFolder, undefined, Number(new URL(n8n.url).port));
				},
				async publish(file) {
					const example = await readExample(file, { generationServiceApi: credential }, files);
					const id = await api.publishWorkflow(example);
					const trigger = example.nodes.find(({ type }) => type.endsWith('formTrigger'));
					return { id, form: `/form/${trigger?.webhookId}` };
				},
				async untilStatus(workflow, ...wanted) {
					const statuses = async () =>
						(await api.executions(workflow)).map(({ status }) => status).join();
					await until(async () => (await statuses()) === wanted.join(), WAIT_TIMEOUT_MS);
				},
			};
			await session.run(async () => await steps(given));
		} finally {
			await n8n.stop();
			await simulator.close();
			await rm(userFolder, { recursive: true, force: true });
		}
	};
	test(name, run, TEST_TIMEOUT_MS);
}

restartJourney(
	'videos that wait in the database survive a restart of n8n, and a failed one takes the error branch',
	async (given) => {
		const { api, page, screenshot, simulator } = given;
		const { id, form } = await given.publish('wait-in-database.json');
		const submit = async (prompt: string) => {
			await page.goto(form);
			await page.getByLabel('Prompt').fill(prompt);
			await page.getByRole('button').click();
			await page.getByText('Your request has arrived.').waitFor();
		};
		await submit('A paper boat on a lake');
		await submit('A snail [fault:task-failed-object]');
		await screenshot('the form');
		await given.untilStatus(id, 'waiting', 'waiting');
		await page.goto(`/workflow/${id}/executions`);
		await page.getByText('Waiting').first().waitFor();
		await screenshot('waiting');

		await given.restart();

		await given.untilStatus(id, 'success', 'success');
		await page.goto(`/workflow/${id}/executions`);
		await page.getByText('Succeeded').first().waitFor();
		await screenshot('done');
		// n8n orders them by their last start.
		const byId = (await api.executions(id)).sort((a, b) => Number(a.id) - Number(b.id));
		const [completed, failed] = byId;
		const branches = async (execution = '') =>
			(await api.executionData(execution)).runData['Video Generation']?.at(-1)?.data?.main;
		const error = { code: 'generation_failed', task_id: simulator.tasks.at(-1)?.id };
		expect(await branches(failed?.id)).toMatchObject([[], [{ json: { error } }]]);
		expect(await branches(completed?.id)).toMatchObject([[{ json: { status: 'completed' } }], []]);
		// The first node writes test.txt, so that a missing folder fails before anything is billed.
		const [file, ...others] = (await readdir(given.files)).filter((name) => name !== 'test.txt');
		expect(others).toEqual([]);
		const video = await readFile(join(given.files, file ?? ''));
		// Every MP4 begins with a box of this type.
		expect(video.subarray(4, 8).toString('latin1')).toBe('ftyp');
		expect(simulator.submissions).toBe(2);
		await new Canvas(page).open(id);
		await screenshot('the workflow');
	},
);
