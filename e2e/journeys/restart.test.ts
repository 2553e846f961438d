import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../simulator';
import { Canvas } from '../browser/canvas';
import type { Journey } from '../browser/journey';
import { Visit } from '../browser/visit';
import { readExample, saveSimulatorCredential } from '../host/seed';
import { N8nApi } from '../host/n8nApi';
import { filesFolder, startN8n } from '../host/n8nServer';
import { copyPackage } from '../host/packageInstall';
import { until } from '../host/until';
import { theEnvironment } from '../setup/environment';

/** The examples wait for more than a minute before they poll their videos. */
const LONGEST_WAIT_MS = 240_000;
const LONGEST_MS = 2 * LONGEST_WAIT_MS;

interface Restarted extends Omit<Journey, 'world'> {
	/** What the example writes its files into. */
	readonly files: string;
	/** Stops n8n, and starts it again. */
	restart(): Promise<void>;
	/** Imports an example and publishes it. @returns its id, and the URL of its form */
	publish(example: string): Promise<{ id: string; form: string }>;
	untilStatus(workflow: string, ...wanted: string[]): Promise<void>;
}

/** A journey through an n8n of its own. */
function restartJourney(name: string, steps: (given: Restarted) => Promise<void>): void {
	const run = async () => {
		const userFolder = await mkdtemp(join(tmpdir(), 'n8n-restart-'));
		const simulator = await startSimulator({ videoSeconds: 5 });
		await copyPackage(theEnvironment().userFolder, userFolder);
		let n8n = await startN8n(userFolder);
		try {
			const api = await N8nApi.signIn(n8n.url);
			const credential = await saveSimulatorCredential(api, simulator);
			const files = filesFolder(userFolder);
			const visit = await Visit.begin(name, api);
			const given: Restarted = {
				api,
				simulator,
				credential,
				files,
				page: visit.page,
				look: async (what) => await visit.look(what),
				async restart() {
					await n8n.stop();
					n8n = await startN8n(userFolder, undefined, Number(new URL(n8n.url).port));
				},
				async publish(file) {
					const example = await readExample(file, credential, files);
					const id = await api.createWorkflow(example);
					await api.publish(id);
					const trigger = example.nodes.find(({ type }) => type.endsWith('formTrigger'));
					return { id, form: `/form/${trigger?.webhookId}` };
				},
				async untilStatus(workflow, ...wanted) {
					const statuses = async () =>
						(await api.executions(workflow)).map(({ status }) => status).join();
					await until(async () => (await statuses()) === wanted.join(), LONGEST_WAIT_MS);
				},
			};
			await visit.walk(async () => await steps(given));
		} finally {
			await n8n.stop();
			await simulator.close();
			await rm(userFolder, { recursive: true, force: true });
		}
	};
	test(name, run, LONGEST_MS);
}

restartJourney('videos are made while n8n restarts', async (given) => {
	const { page, look, simulator } = given;
	const { id, form } = await given.publish('durable-video-pipeline.json');
	await page.goto(form);
	await page.getByRole('textbox').fill('A paper boat on a lake\nA snail in a desert');
	await look('the order');
	await page.getByRole('button').click();
	await given.untilStatus(id, 'waiting');
	await page.goto(`/workflow/${id}/executions`);
	await page.getByText('Waiting').first().waitFor();
	await look('waiting');
	expect(simulator.submissions).toBe(2);

	await given.restart();

	await given.untilStatus(id, 'success');
	await page.goto(`/workflow/${id}/executions`);
	await page.getByText('Succeeded').first().waitFor();
	await look('done');
	await page.goto('/home/datatables');
	await page.getByText('Video pipeline').click();
	await page.getByText('completed').nth(1).waitFor();
	await look('the table');
	expect(simulator.submissions).toBe(2);
});

restartJourney(
	'videos that wait in the database are written after a restart, and the one that failed goes to the error branch',
	async (given) => {
		const { api, page, look, simulator } = given;
		const { id, form } = await given.publish('wait-in-database.json');
		const order = async (prompt: string) => {
			await page.goto(form);
			await page.getByLabel('Prompt').fill(prompt);
			await page.getByRole('button').click();
			await page.getByText('The video is ordered.').waitFor();
		};
		await order('A paper boat on a lake');
		await order('A snail [fault:task-failed-object]');
		await look('the order');
		await given.untilStatus(id, 'waiting', 'waiting');
		await page.goto(`/workflow/${id}/executions`);
		await page.getByText('Waiting').first().waitFor();
		await look('waiting');

		await given.restart();

		await given.untilStatus(id, 'success', 'success');
		await page.goto(`/workflow/${id}/executions`);
		await page.getByText('Succeeded').first().waitFor();
		await look('done');
		const [failed, made] = await api.executions(id);
		const branches = async (execution = '') =>
			(await api.executionData(execution)).runData['Video Generation']?.at(-1)?.data?.main;
		const error = { code: 'generation_failed', task_id: simulator.tasks.at(-1)?.id };
		expect(await branches(failed?.id)).toMatchObject([[], [{ json: { error } }]]);
		expect(await branches(made?.id)).toMatchObject([[{ json: { status: 'completed' } }], []]);
		const [file, ...others] = await readdir(given.files);
		expect(others).toEqual([]);
		const video = await readFile(join(given.files, file ?? ''));
		// Every MP4 begins with a box of this type.
		expect(video.subarray(4, 8).toString('latin1')).toBe('ftyp');
		expect(simulator.submissions).toBe(2);
		await new Canvas(page).open(id);
		await look('the workflow');
	},
);
