import type { Played } from '../play/played';
import { dataOf } from '../play/rows';
import { isErrorItem } from './evidence';
import type { Promised } from './promise';

/** What the item of a finished task, or its error, may add to the stored data of a wait. */
const BYTES_PER_TASK = 4_000;
/** What a poll of a task that is not finished adds to what its submission said: all of its fields. */
const BYTES_PER_STATE = 1_000;
/** What n8n itself adds with each resumed run. */
const BYTES_PER_RUN = 100;

/** Timers, files, listeners, connections and places in a queue are gone when the work is done, and stored data does not grow. */
export const nothingLeft: Promised = {
	name: 'Nothing is left',
	says: 'No timer, no file, no growing stored data and no record of paid work is left when the work is done.',
	except: ['Idle connections of the undici build stay open for up to 15 seconds.'],
	alsoKeptBy: [],
	check(played) {
		const { left } = played;
		const timers = left.timers > 0 ? [`${left.timers} timers`] : [];
		const files = left.files.map((file) => `the file ${file}`);
		const listeners = left.listeners > 0 ? [`${left.listeners} listeners on a signal`] : [];
		const held =
			left.held === undefined ? [] : [`a last execution finds something held: ${left.held}`];
		const over = [...timers, ...files, ...listeners].map((what) => `${what} left over`);
		return [...over, ...held, ...grown(played), ...books(played)];
	},
};

/** The record of paid work of a run that ended well. An agent may call its tools again. */
function books({ rows, scenario }: Played): string[] {
	if (scenario.shape === 'agent') return [];
	return rows.flatMap((row) => {
		if (row.status !== 'success') return [];
		const { resultData, executionData } = dataOf(row);
		return scenario.nodes.flatMap(({ name }) => {
			const left = executionData?.contextData[`node:${name}`] ?? {};
			return (resultData.runData[name] ?? []).flatMap(({ error, data }, run) => {
				const items = (data?.main ?? []).flatMap((each) => each ?? []);
				return error === undefined && !items.some(isErrorItem) && `paidWork of run ${run}` in left
					? [`execution ${row.id} still has the record of what ${name} paid for`]
					: [];
			});
		});
	});
}

/** What is stored grows with the tasks and not with the resumed runs. */
function grown({ scenario, rows, truth }: Played): string[] {
	// Other nodes, runs and tries add their own data.
	const [node, ...others] = scenario.nodes;
	if (others.length > 0 || node?.tries !== undefined || scenario.shape === 'loop') return [];
	return rows.flatMap((row) => {
		const waits = row.sizes.slice(0, row.status === 'waiting' ? undefined : -1);
		const most = (engineRun: number) => {
			const time = row.engineRuns[engineRun]?.to ?? 0;
			const finished = truth.requests.filter((each) => each.finished && each.at <= time).length;
			const open = truth.tasks.size * BYTES_PER_STATE;
			return (waits[0] ?? 0) + finished * BYTES_PER_TASK + open + engineRun * BYTES_PER_RUN;
		};
		return waits.some((size, engineRun) => size > most(engineRun))
			? [`execution ${row.id} grows with its resumed runs: ${waits.join(', ')} characters stored`]
			: [];
	});
}
