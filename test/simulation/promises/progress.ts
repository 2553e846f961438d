import type { Played } from '../play/played';

/** A line of progress for each of many videos would hide the rest of the log. */
const EVERY_MS = 5_000;
const PROGRESS = /Node "(\w+)", execution (\w+): (\d+) of (\d+) videos finished/;

/** The log tells how many videos are finished: ever more, not too often, and in the end all. */
export function progress({ scenario, log, truth, rows, tries, kills, stops }: Played): string[] {
	const [node, ...others] = scenario.nodes;
	const [row] = rows;
	const isAlone = rows.length === 1 && tries.length === 1 && others.length + kills.length === 0;
	if (node?.kind !== 'video' || node.operation !== 'generate' || !isAlone) return [];
	if (scenario.shape !== 'sequence' || stops.size > 0 || row?.status !== 'success') return [];
	const lines = log.flatMap(({ text, at }) => {
		const [, , , done, all] = PROGRESS.exec(text) ?? [];
		return done === undefined ? [] : [{ at, done: Number(done), all: Number(all) }];
	});
	const finished = new Set(
		truth.requests.flatMap((each) =>
			each.endpoint === 'poll' && each.finished && each.whole && each.status === 200
				? [each.taskId]
				: [],
		),
	);
	const heard = [...truth.tasks.values()].filter(({ request }) => request.whole).length;
	const isPlain = finished.size === heard && truth.tasks.size === heard;
	const last = lines.at(-1);
	const told = last === undefined ? 'nothing' : `${last.done} of ${last.all}`;
	const isTold = heard === 0 || told === `${heard} of ${heard}`;
	const early = lines.slice(0, -1).find((line, index) => {
		const before = lines[index - 1];
		return before !== undefined && line.at - before.at < EVERY_MS && line.done < line.all;
	});
	const isFewer = lines.some(({ done }, index) => done <= (lines[index - 1]?.done ?? 0));
	return [
		...(isPlain && !isTold
			? [`${heard} videos are finished, and the last line of progress says ${told}`]
			: []),
		...(early === undefined ? [] : ['two lines of progress are less than 5 s apart']),
		...(isFewer ? ['a line of progress counts no more videos than the one before'] : []),
	];
}
