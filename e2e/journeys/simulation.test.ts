import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Simulator, startSimulator } from '../../simulator';
import { callStored, realScenario } from '../../test/simulation/inRealN8n/workflow';
import { type Scenario, scenario as scenarioSchema } from '../../test/simulation/scenario/schema';
import { unchanging } from '../../test/simulation/scenario/workflow';
import type { Outcome } from '../../test/simulation/outcome';
import { itemsOf } from '../../test/simulation/promises/sameEverywhere';
import { namedRandom } from '../../test/simulation/host/random';
import { injectionsOf, settingsOf } from '../../test/simulation/service/settings';
import { ROOT } from '../host/folders';
import { N8nApi } from '../host/n8nApi';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { sharedEnvironment } from '../setup/environment';

/** The longest wait of a scenario, a pause in the database, and how late n8n may end it. */
const MAX_MS = 400_000;
const SCENARIOS = join(ROOT, 'test/simulation/inRealN8n/scenarios');
const run = promisify(execFile);
const outcome = z.object({
	statuses: z.array(z.string()),
	items: z.record(z.string(), z.string()),
	requests: z.array(z.string()),
});
const stored = z.object({ id: z.string(), status: z.string(), data: z.string() });

let api: N8nApi;
beforeAll(() => {
	const { url, cookie } = sharedEnvironment();
	api = N8nApi.signedIn(url, cookie);
});

/** What the simulation makes of a scenario, in a process of its own. */
async function simulated(file: string): Promise<Outcome> {
	const program = [require.resolve('tsx/cli'), join(ROOT, 'test/simulation/main.ts')];
	const { stdout } = await run(process.execPath, [...program, '--scenario', file, '--outcome']);
	return outcome.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
}

/** The same scenario in a real n8n, with the simulated service on real sockets. */
async function played(scenario: Scenario, name: string): Promise<Outcome> {
	const settings = settingsOf(scenario.service, {
		now: Date.now,
		random: namedRandom(scenario.seed),
		promptName: unchanging,
		newId: () => crypto.randomUUID().replaceAll('-', ''),
	});
	const simulator = await startSimulator(settings);
	for (const [injection, fault] of injectionsOf(scenario.service.faults))
		simulator.inject(injection, fault);
	try {
		const credential = await saveSimulatorCredential(api, simulator, name);
		const { workflow, called, body } = realScenario(scenario, name, credential);
		const workflows: string[] = [];
		if (called) {
			const id = await api.publishWorkflow(called);
			callStored(workflow, scenario, id);
			workflows.push(id);
		}
		const id = await api.publishWorkflow(workflow);
		await playEvents(scenario, id, name, body);
		const rows = await rowsOf([...workflows, id]);
		return {
			statuses: rows.map(({ status }) => status),
			items: Object.assign(
				{},
				...rows.map((row, index) => itemsOfExecution(scenario, row, index + 1, simulator)),
			) as Outcome['items'],
			requests: requestsOf(simulator),
		};
	} finally {
		await simulator.close();
	}
}

/** The executions, their events, and what the user does afterwards. */
async function playEvents(
	scenario: Scenario,
	id: string,
	path: string,
	body: object,
): Promise<void> {
	// n8n may close an idle connection at the moment of a request.
	const latest = async () => (await api.executions(id).catch(() => [])).at(0);
	const isOver = async () =>
		!['new', 'running', 'waiting'].includes((await latest())?.status ?? 'new');
	await fetch(`${api.url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	await until(async () => (await latest()) !== undefined, MAX_MS);
	for (const event of scenario.events) {
		if (event.what !== 'stop') throw new Error(`No real n8n is made to ${event.what}`);
		await pause(event.at * 1000);
		await api.stopExecution((await latest())?.id ?? '');
	}
	await until(isOver, MAX_MS);
	for (const next of scenario.afterwards) {
		if (next !== 'retry') throw new Error(`No user of a real n8n does "${next}" here`);
		await api.retry((await latest())?.id ?? '');
		await until(isOver, MAX_MS);
	}
}

async function rowsOf(workflows: string[]) {
	const executions = (
		await Promise.all(workflows.map(async (id) => await api.executions(id)))
	).flat();
	const ids = executions.map(({ id }) => Number(id)).sort((a, b) => a - b);
	return await Promise.all(
		ids.map(async (id) => stored.parse(await api.call('GET', `/executions/${id}`))),
	);
}

/** As the simulation tells them: executions are numbered from 1. */
function itemsOfExecution(
	scenario: Scenario,
	{ data }: z.infer<typeof stored>,
	number: number,
	{ tasks }: Simulator,
): Record<string, string> {
	const known = new Map(
		tasks.map(({ id, prompt, submissionId }) => {
			const own = tasks.filter((task) => task.submissionId === submissionId).map((task) => task.id);
			return [id, { prompt: unchanging(prompt), request: { tasks: own } }] as const;
		}),
	);
	const given = { scenario, rows: [{ id: String(number), data }], truth: { tasks: known } };
	const items = itemsOf(given as unknown as Parameters<typeof itemsOf>[0], String(number));
	return Object.fromEntries(
		Object.entries(items).map(([name, text]) => [`execution ${number}, ${name}`, text]),
	);
}

const prompted = z.looseObject({
	prompt: z.string().optional(),
	messages: z.array(z.looseObject({ content: z.string() })).optional(),
});

function requestsOf({ requests, tasks }: Simulator): string[] {
	return requests
		.filter(({ endpoint }) => endpoint !== 'poll')
		.map(({ endpoint, body, path }) => {
			const { prompt, messages } = prompted.catch({}).parse(body);
			const task = tasks.find(({ id }) => path.includes(id));
			const words = prompt ?? messages?.at(-1)?.content ?? task?.prompt ?? '';
			return `${endpoint === 'chatStream' ? 'chat' : endpoint} "${unchanging(words)}"`;
		})
		.sort();
}

describe('the same items and requests in a real n8n as in the simulation', () => {
	const names = readdirSync(SCENARIOS).map((file) => file.replace(/\.json$/, ''));
	const scenarioOf = (name: string) =>
		scenarioSchema.parse(JSON.parse(readFileSync(join(SCENARIOS, `${name}.json`), 'utf8')));
	const real = new Map<string, Promise<Outcome>>();

	// All at once: those that wait in the database take more than a minute.
	beforeAll(() => {
		for (const name of names) {
			const playing = played(scenarioOf(name), name);
			playing.catch(() => {});
			real.set(name, playing);
		}
	});

	test.each(names)(
		'%s',
		async (name) => {
			const expected = await simulated(join(SCENARIOS, `${name}.json`));
			expect(await real.get(name)).toEqual(expected);
		},
		2 * MAX_MS,
	);
});
