import type { Played } from '../play/played';
import { dataOf } from '../play/rows';
import { debugLines } from './debugLines';
import { printable, wasHeard } from './evidence';
import { progress } from './progress';

/** Lines of n8n's log are about what happened. */
export function logCounts(played: Played): string[] {
	return [
		...missingVideos(played),
		...moreVideos(played),
		...stopLines(played),
		...debugLines(played),
		...progress(played),
		...billed(played),
		...hintsOfStopped(played),
	];
}

/** "the service created 1 of 3 videos", for each submission of which fewer were made. */
function missingVideos({ log, truth, kills }: Played): string[] {
	if (kills.length > 0) return [];
	const said = log.flatMap(({ text }) => {
		const [, made, asked] = /the service created (\d+) of (\d+) videos/.exec(text) ?? [];
		return asked === undefined ? [] : [Number(asked) - Number(made)];
	});
	const made = truth.requests.filter((each) => each.endpoint === 'submit' && wasHeard(each));
	const missing = made.flatMap(({ n, tasks, accepted }) =>
		accepted && tasks.length > 0 && tasks.length < n ? [n - tasks.length] : [],
	);
	return said.toSorted().join() === missing.toSorted().join()
		? []
		: [
				`the log counts ${said.join(', ') || 'no'} missing videos; the service made ${missing.join(', ') || 'none'} fewer`,
			];
}

/** No service of a scenario makes more videos than a line names. */
function moreVideos({ log }: Played): string[] {
	return log.flatMap(({ text }) =>
		/submitted video tasks? .* and -?\d+ more/.test(text)
			? [`the log counts tasks that there are not: ${text}`]
			: [],
	);
}

/** What a Stop leaves: `execution 1: stopped. Tasks of this run: (1) task-1: processing`. */
const STOPPED = /Node "(\w+)", execution (\w+): stopped\. (.*)/;
const SUBMITTED = /Node "(\w+)", execution (\w+): submitted video tasks? (.*?) \[item/;
const LISTED = /\(\d+\) (\S+): ([\w ]+?)(?=[.,;]| \(\d+\)|$)/g;

/** After a Stop, and only then, one line names each task of the run, and says whether any goes on. */
function stopLines(played: Played): string[] {
	const { log, stops, scenario } = played;
	const lines = log.flatMap(({ text, at }) => {
		const [, node = '', execution = '', list = ''] = STOPPED.exec(text) ?? [];
		return node === '' ? [] : [{ node, execution, list, at }];
	});
	const isCancelled = (execution: string) =>
		stops.has(execution) || scenario.timeoutWorkflow !== undefined;
	return [
		...lines.flatMap(({ execution, node }) =>
			isCancelled(execution)
				? []
				: [`the log says that ${node} of execution ${execution} was stopped`],
		),
		...lines.flatMap(({ list }) => goesOn(list)),
		...(scenario.shape === 'sequence' ? unnamed(played, lines) : []),
	];
}

function goesOn(list: string): string[] {
	const states = [...list.matchAll(LISTED)].map(([, , state = '']) => state);
	const isOpen = states.some((state) => !/^(completed|failed)$/i.test(state.trim()));
	const isShown = /https?:|, (null|undefined)/.test(list);
	return [
		...(isOpen === /They are still being made, and billed/.test(list)
			? []
			: [`the log says whether tasks go on, wrongly: ${list}`]),
		...(isShown ? [`the log has the URL of a video, or none: ${list}`] : []),
	];
}

interface StopLine {
	node: string;
	execution: string;
	list: string;
}

/** Tasks that a stopped node had submitted, and that its line does not name; or there is no line. */
function unnamed({ log, stops, scenario, timeline, kills }: Played, lines: StopLine[]): string[] {
	return scenario.nodes.flatMap(({ name, kind, ...node }) => {
		const isKept = kind === 'video' && 'wait' in node && node.wait?.waitIn === 'memory';
		if (!isKept || kills.length > 0) return [];
		return [...stops].flatMap(([execution, stoppedAt]) => {
			const ended = timeline.find(
				({ who, text }) => who === 'n8n' && text.startsWith(`execution ${execution}: ${name} ends`),
			);
			if (ended !== undefined && ended.at < stoppedAt) return [];
			const submitted = log.flatMap(({ text, at }) => {
				const [, by, of, ids = ''] = SUBMITTED.exec(text) ?? [];
				return by === name && of === execution && at < stoppedAt ? ids.split(', ') : [];
			});
			const own = lines.filter((line) => line.node === name && line.execution === execution);
			if (submitted.length === 0) return [];
			if (own.length !== 1)
				return [
					`the log has ${own.length} lines about the Stop of ${name} in execution ${execution}`,
				];
			const missing = submitted.filter((id) => !own[0]?.list.includes(printable(id)));
			return missing.map(
				(id) => `the line about the Stop of execution ${execution} does not name ${id}`,
			);
		});
	});
}

/** Who runs a workflow in the editor is told of each task that a stopped run of the node paid for. */
function hintsOfStopped({ log, rows, scenario, kills }: Played): string[] {
	const row = rows.find(({ mode }) => mode === 'manual');
	const [node, ...others] = scenario.nodes;
	if (row?.status !== 'success' || kills.length + others.length > 0) return [];
	if (node?.kind !== 'video' || scenario.shape !== 'sequence') return [];
	// Others may run at the same time.
	if (rows.length > 2) return [];
	const paid = log.flatMap(({ text }) => {
		const [, , , list = ''] = STOPPED.exec(text) ?? [];
		const [, unknown] = /Not found: ([\w-]+(?:, [\w-]+)*)/.exec(list) ?? [];
		return [
			...[...list.matchAll(LISTED)].flatMap(([, id = '', state = '']) =>
				state === 'failed' ? [] : [id],
			),
			...(unknown?.split(', ') ?? []),
		];
	});
	const hints = (dataOf(row).resultData.runData[node.name] ?? []).flatMap(
		({ hints = [] }) => hints,
	);
	const told = hints.flatMap(
		({ message }) => /^Task (\S+) of the run that was stopped/.exec(message)?.[1] ?? [],
	);
	return told.toSorted().join() === paid.toSorted().join()
		? []
		: [
				`after a Stop hints name ${told.join(', ') || 'no task'}; it paid for ${paid.join(', ') || 'none'}`,
			];
}

/** The custom data of an execution count what it was billed for, where nothing was lost. */
function billed({ rows, truth, kills, stops, scenario }: Played): string[] {
	const [row, ...others] = rows;
	if (row?.status !== 'success' || others.length + kills.length + stops.size > 0) return [];
	const sent = truth.requests.filter(({ endpoint }) => /chat|submit/.test(endpoint));
	const accepted = sent.reduce((sum, request) => sum + (request.accepted ? request.n : 0), 0);
	const told = Number(dataOf(row).resultData.metadata?.billable_requests ?? 0);
	if (told < accepted)
		return [`the custom data count ${told} billable requests; the service accepted ${accepted}`];
	const isPlain = sent.every(
		({ endpoint, accepted, fault, tasks, n, whole }) =>
			whole && fault === undefined && (!accepted || endpoint === 'chat' || tasks.length === n),
	);
	// The verified build does not learn whether a connection was made: what was not sent may have been billed.
	const isUnknown = scenario.build === 'verified' && truth.notConnected.length > 0;
	if (!isPlain || isUnknown) return [];
	return told === accepted
		? []
		: [`the custom data count ${told} billable requests; the service was sent ${accepted}`];
}
