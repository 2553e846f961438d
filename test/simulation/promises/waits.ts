import type { Played } from '../play/played';
import type { Row } from '../play/rows';
import { whyInMemory } from './callers';
import { ancestry, hasErrorOfStop, nodeRuns } from './evidence';

/** Where nobody can wait in the database, nobody does, and a hint says why; elsewhere there is no such hint. */
export function inMemory(played: Played): string[] {
	const { scenario, rows, stops } = played;
	const paused = rows.flatMap((row) => {
		const reason = whyInMemory(scenario, row.mode);
		return reason !== undefined && row.engineRuns.length > 1
			? [`execution ${row.id} waits in the database, though ${reason}`]
			: [];
	});
	const hints = nodeRuns(played).flatMap((run) => {
		const { node, row, task } = run;
		const isWaiting = node.kind === 'video' && /generate|wait/.test(node.operation);
		if (!isWaiting || node.wait?.waitIn !== 'database') return [];
		if (row.status !== 'success' || scenario.shape === 'agent' || run.input.length === 0) return [];
		const isOdd = ancestry(row, rows).some(({ id }) => stops.has(id)) || hasErrorOfStop(row, rows);
		if (isOdd || task.error !== undefined) return [];
		const [said] = (task.hints ?? []).flatMap(
			({ message }) => /^Waited in memory: (.*)/.exec(message)?.[1] ?? [],
		);
		const reason = whyInMemory(scenario, row.mode);
		const isShort = (node.wait.maxWait ?? 600) < MIN_WAIT_S;
		// Of a wait that is too short, items that were refused need no hint.
		const isRight =
			// A Retry keeps the runs, and what they said, of the execution before.
			ancestry(row, rows).some(({ mode }) => said === whyInMemory(scenario, mode)) ||
			(reason === undefined && isShort && said === SHORT) ||
			(said === EARLY && wasSetBack(played, row));
		// Without a credential, no node waits.
		const isIdle = scenario.events.some(({ what }) => what === 'deleteCredential');
		const mayBeSilent = said === undefined && (reason === undefined || isIdle);
		return isRight || mayBeSilent
			? []
			: [`execution ${row.id}, ${node.name}: a hint says that it ${said}, instead of: ${reason}`];
	});
	return [...paused, ...hints];
}

/** Whether the host's clock was set back while the execution, or one that it is a Retry of, waited in the database. */
function wasSetBack({ scenario, rows, start }: Played, row: Row): boolean {
	return scenario.events.some((event) => {
		if (event.what !== 'stepClock' || event.by >= -CLOCK_SKEW_S) return false;
		const at = start + event.at * 1000;
		return ancestry(row, rows).some(({ engineRuns }) =>
			engineRuns.some(({ from }, index) => at < from && at > (engineRuns[index - 1]?.to ?? from)),
		);
	});
}

const MIN_WAIT_S = 70;
/** Main and workers may have clocks that are so far apart. */
const CLOCK_SKEW_S = 30;
const EARLY = 'n8n resumed the execution too early';
const SHORT = 'Max Wait is less than 70 seconds';
