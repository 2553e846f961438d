import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator';
import { BrowserSession } from '../browser/browserSession';
import { Canvas } from '../browser/canvas';
import { N8nApi, type TableRow } from '../host/n8nApi';
import { type N8nServer, startN8n } from '../host/n8nServer';
import { copyPackage } from '../host/packageInstall';
import { readExample, saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { DATABASE, startPostgres, USER } from '../queue/host/postgres';
import { sharedEnvironment } from '../setup/environment';

const TABLE = 'Work list';
const TRIGGER = 'Every Five Minutes';
/** Two starts of n8n, and a wait in the database of a minute and more. */
const TIMEOUT_MS = 400_000;

describe.each(['SQLite', 'Postgres'])('the work list, with %s', (database) => {
	let [folder, n8n, api, simulator, closeDatabase] = [] as unknown as [
		string,
		N8nServer,
		N8nApi,
		Simulator,
		() => Promise<void>,
	];
	let settings: NodeJS.ProcessEnv = {};
	let example: Awaited<ReturnType<typeof readExample>>;
	const rows = async () => await api.tableRows(TABLE);
	const add = async (...prompts: string[]) => {
		const ready = prompts.map((prompt) => ({ prompt, status: 'ready' }));
		await api.addTableRows(TABLE, ready);
	};
	const ended = async (workflow: string) => {
		const running = async () =>
			await api.countExecutions(workflow, ['new', 'running', 'waiting', 'unknown']);
		await until(async () => (await running()) === 0, TIMEOUT_MS);
	};

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'n8n-work-list-'));
		await copyPackage(sharedEnvironment().userFolder, folder);
		if (database === 'Postgres') {
			const postgres = await startPostgres(folder);
			closeDatabase = async () => await postgres.stop();
			settings = {
				DB_TYPE: 'postgresdb',
				DB_POSTGRESDB_HOST: '127.0.0.1',
				DB_POSTGRESDB_PORT: String(postgres.port),
				DB_POSTGRESDB_DATABASE: DATABASE,
				DB_POSTGRESDB_USER: USER,
			};
		}
		n8n = await startN8n(folder, undefined, undefined, settings);
		api = await N8nApi.signIn(n8n.url);
		simulator = await startSimulator({ videoSeconds: 1 });
		const credential = await saveSimulatorCredential(api, simulator);
		example = await readExample('work-list.json', { generationServiceApi: credential }, folder);
	}, TIMEOUT_MS);

	afterAll(async () => {
		await n8n?.stop();
		await simulator?.close();
		await closeDatabase?.();
		await rm(folder, { recursive: true, force: true });
	}, TIMEOUT_MS);

	test(
		'the first run creates the table, and of three runs at once none submits the row of another',
		async () => {
			const id = await api.createWorkflow(example);
			await api.execute(id, TRIGGER);
			await ended(id);
			expect(await rows()).toEqual([]);
			const prompts = Array.from({ length: 30 }, (_, index) => `Boat ${index}`);
			await add(
				...prompts,
				'Wreck [fault:task-failed-object]',
				'Raft [fault:content-filtered]',
				'Kayak [fault:lost]',
			);
			const runs = await Promise.all([1, 2, 3].map(async () => await api.execute(id, TRIGGER)));
			await ended(id);
			await api.addTableRows(TABLE, [
				{ prompt: 'Sloop', status: 'Ready' },
				{ prompt: 'Yacht', status: 'redy' },
			]);
			runs.push(await api.execute(id, TRIGGER));
			await ended(id);
			const typed = (await rows()).slice(-2);
			expect(typed).toMatchObject([
				{ status: 'completed', error: '' },
				{ status: 'redy', error: expect.stringContaining('does not know this status') },
			]);

			const byPrompt = (given: TableRow[]) => given.map(({ prompt }) => prompt).sort();
			const listed = (await rows()).slice(0, -typed.length);
			const done = listed.filter(({ status }) => status === 'completed');
			expect(byPrompt(done)).toEqual([...prompts].sort());
			expect(new Set(done.map(({ url }) => url)).size).toBe(prompts.length);
			const submitted = simulator.tasks.map(({ prompt }) => prompt);
			expect(new Set(submitted).size).toBe(submitted.length);
			const failed = listed.slice(prompts.length);
			expect(failed).toMatchObject([
				{ status: 'failed', error: expect.stringContaining('could not be drawn') },
				{ status: 'failed', task_id: null, error: expect.stringContaining('content policy') },
				{ status: 'unclear', task_id: null, error: expect.stringContaining('Check your account') },
			]);
			expect(failed[0]?.task_id).toEqual(expect.any(String));
			const claimers = new Set(listed.map(({ claimed_by }) => claimed_by));
			// Which of the runs claims how many of its 20 rows is a matter of luck.
			expect(claimers.size).toBeGreaterThan(1);
			expect(runs).toEqual(expect.arrayContaining([...claimers]));

			const session = await BrowserSession.start(`work list ${database}`, api);
			await session.run(async () => {
				const { page } = session;
				await new Canvas(page).open(id);
				await page.keyboard.press('1');
				await session.screenshot('the workflow');
				await page.goto('/home/datatables');
				await page.getByText(TABLE).first().click();
				await page.getByText('Add Column').waitFor();
				await session.screenshot('the table');
			});
		},
		TIMEOUT_MS,
	);

	test(
		'a run that is killed after it claimed its rows leaves them to be made ready again',
		async () => {
			// A pause between the claim and the submission.
			const pause = { id: 'pause', name: 'Pause', type: 'n8n-nodes-base.wait', typeVersion: 1.1 };
			const { connections, nodes } = example as typeof example & { connections: object };
			const halted = await api.createWorkflow({
				...example,
				nodes: [...nodes, { ...pause, position: [0, 700], parameters: { amount: 60 } }],
				connections: {
					...connections,
					'Get Claimed Rows': { main: [[{ node: 'Pause', type: 'main', index: 0 }]] },
					Pause: { main: [[{ node: 'Submit', type: 'main', index: 0 }]] },
				},
			});
			await add('Lantern red', 'Lantern green');
			const lanterns = async () => (await rows()).slice(-2);
			const before = simulator.submissions;
			const killed = await api.execute(halted, TRIGGER);
			await until(async () => (await lanterns()).every(({ status }) => status === 'claimed'));
			await n8n.kill();
			n8n = await startN8n(folder, undefined, Number(new URL(n8n.url).port), settings);
			const left = { status: 'claimed', claimed_by: killed, task_id: null };
			expect(await lanterns()).toMatchObject([left, left]);

			const id = await api.createWorkflow(example);
			await api.execute(id, TRIGGER);
			await ended(id);
			expect(simulator.submissions).toBe(before);
			await api.updateTableRows(TABLE, 'claimed_by', killed, { status: 'ready' });
			await api.execute(id, TRIGGER);
			await ended(id);
			const done = { status: 'completed', url: expect.stringContaining('.mp4') };
			expect(await lanterns()).toMatchObject([done, done]);
			expect(simulator.submissions).toBe(before + 2);
		},
		TIMEOUT_MS,
	);
});
