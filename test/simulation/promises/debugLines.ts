import type { Played } from '../play/played';
import type { TruthRequest } from '../service';
import { codeIn } from './codes';

/** A line of the debug log for each request: what came back, the pause that follows, and how long it took. */
const LINE =
	/(GET|POST) (\S+) \[([^\]]*)\] attempt (\d+): (.*?)(?:, pause (\d+) ms)?, (\d+) ms(?:, waited (\d+) ms .*)?$/;

interface Line {
	/** Method, path and scope. */
	what: string;
	request: string;
	attempt: number;
	outcome: string;
	isRepeated: boolean;
	tookMs: number;
}

/** Timers and the end of a stream. */
const SLACK_MS = 100;

/** The debug log has a line for each request, with the outcome and the time that it took. */
export function debugLines(played: Played): string[] {
	const { stops, kills, suspended, scenario, debug } = played;
	// What is given up in the moment of a response has another outcome.
	const isCutOff = stops.size + kills.length > 0 || scenario.timeoutWorkflow !== undefined;
	if (isCutOff || suspended.length > 0) return [];
	const lines = debug.flatMap(lineOf);
	return [...unlogged(played, lines), ...misnumbered(played, lines)];
}

function lineOf(text: string): Line[] {
	const [, method, path = '', scope, attempt, outcome = '', pause, ms] = LINE.exec(text) ?? [];
	if (method === undefined) return [];
	const request = `${method} ${path}`;
	return [
		{
			what: `${request} [${scope}]`,
			request,
			attempt: Number(attempt),
			outcome,
			isRepeated: pause !== undefined,
			tookMs: Number(ms),
		},
	];
}

/** What no fault touched is in the log as the service sent it. */
function unlogged({ truth }: Played, lines: Line[]): string[] {
	const left = lines.toSorted((one, other) => one.tookMs - other.tookMs);
	return truth.requests
		.filter(isPlain)
		.map((request) => ({ ...request, tookMs: (request.endedAt ?? 0) - request.sentAt }))
		.toSorted((one, other) => one.tookMs - other.tookMs)
		.flatMap((request) => {
			const { method, path, tookMs } = request;
			const name = `${method} ${path.replace(/^\/gateway/, '')}`;
			const outcome = outcomeOf(request);
			const index = left.findIndex(
				(line) =>
					line.request === name &&
					line.outcome === outcome &&
					Math.abs(line.tookMs - tookMs) <= SLACK_MS,
			);
			if (index >= 0) left.splice(index, 1);
			return index >= 0
				? []
				: [`the debug log has no "${name}: ${outcome}" that took ${Math.round(tookMs)} ms`];
		});
}

/** Of the service, and good or refused: a submission without tasks is neither. */
function isPlain({ endpoint, whole, fault, accepted, tasks }: TruthRequest): boolean {
	if (endpoint === 'download' || !whole || fault !== undefined) return false;
	return endpoint !== 'submit' || !accepted || tasks.length > 0;
}

function outcomeOf({ status = 0, refusal }: TruthRequest): string {
	return status < 300 ? 'succeeded' : `status ${status} ${codeIn(refusal)}`;
}

/** What is refused for longer fails while it waits for its next attempt. */
const MAX_PAUSE_S = 300;

/** Each attempt that is to be repeated is followed by another, which is counted. */
function misnumbered({ truth, start, end }: Played, lines: Line[]): string[] {
	const isShort =
		end - start < MAX_PAUSE_S * 1000 &&
		truth.requests.every(({ retryAfter = 0 }) => retryAfter <= MAX_PAUSE_S);
	return [...new Set(lines.map(({ what }) => what))].flatMap((what) => {
		const own = lines.filter((line) => line.what === what);
		const most = Math.max(...own.map(({ attempt }) => attempt));
		return Array.from({ length: most }, (_, index) => index + 1).flatMap((number) => {
			const of = own.filter(({ attempt }) => attempt === number);
			const due = of.filter(({ isRepeated }) => isRepeated).length;
			const next = own.filter(({ attempt }) => attempt === number + 1).length;
			return due === next || (due > next && !isShort)
				? []
				: [`the debug log has ${next} attempts ${number + 1} of "${what}"; ${due} were due`];
		});
	});
}
