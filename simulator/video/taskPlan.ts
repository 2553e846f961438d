/** Progress in percent, for the share of the work that is done (0 to 1); undefined leaves the field out. */
const PROGRESS = {
	steady: (share: number) => Math.max(1, Math.floor(share * 100)),
	none: () => 0,
	steps: (share: number) => Math.floor(share * 4) * 25,
	/** Fast at first, then hardly at all. */
	early: (share: number) => Math.floor((1 - (1 - share) ** 4) * 100),
	/** Nothing at first. */
	late: (share: number) => Math.floor(share ** 4 * 100),
	falling: (share: number) => Math.floor((share < 0.6 ? share : share - 0.4) * 100),
	stuck: () => 10,
	absent: () => undefined,
} satisfies Record<string, (share: number) => number | undefined>;

export type ProgressShape = keyof typeof PROGRESS;
export const PROGRESS_SHAPES = Object.keys(PROGRESS) as [ProgressShape, ...ProgressShape[]];

export function progressAt(shape: ProgressShape, share: number): number | undefined {
	const percent = PROGRESS[shape](share);
	return percent === undefined ? undefined : Math.max(0, Math.min(99, percent));
}

export const ENDINGS = [
	'completed',
	'failed',
	'queued forever',
	'processing forever',
	'forgotten',
] as const;

/** How a video task ends under a fault. */
export interface TaskOutcome {
	ending: (typeof ENDINGS)[number];
	/** The status query does not know the task until `lagSeconds` after the submission. */
	lags?: boolean;
	/** Changes what the status query reports. */
	report?: (task: Record<string, unknown>, authorization: string) => Record<string, unknown>;
}

/** What becomes of the tasks of a submission. Times are in seconds of the simulator's clock. */
export interface TaskPlan {
	/** Only for this prompt. */
	prompt?: string | undefined;
	/** Only for this one of the submissions of the prompt that were accepted; the first is 1. */
	attempt?: number | undefined;
	/** From the submission until the end. */
	seconds: number;
	/** Share of the time that the task waits in the queue; default 0.15. */
	queued?: number | undefined;
	progress?: ProgressShape | undefined;
	ending?: TaskOutcome['ending'] | undefined;
	/** Polls do not find the task for this long after the submission. */
	lagSeconds?: number | undefined;
	/** Polls report the end this much later than it happened. */
	lateSeconds?: number | undefined;
	/** Polls do not find the task from this long after the submission on. */
	vanishesAfterSeconds?: number | undefined;
	/** Polls report another id, which is known as well. */
	changesId?: boolean | undefined;
	/** Ids are sent as JSON numbers that a double cannot hold. */
	numericId?: boolean | undefined;
	/** Of numeric ids, from 16; default 19. */
	idDigits?: number | undefined;
	/** All tasks of a submission have one id. */
	sameId?: boolean | undefined;
	/** Ids contain a line feed and an escape character. */
	controlId?: boolean | undefined;
	/** The last task is listed without an id. */
	missingEntryId?: boolean | undefined;
	/** A poll with the video as text arrives over this time. */
	inlineSeconds?: number | undefined;
	/** How many tasks are made; default `n`. */
	count?: number | undefined;
	/** Only the first of the tasks ends so; the others are completed. */
	onlyFirst?: boolean | undefined;
	/** The URL is null for this long after the end is reported. */
	urlLagSeconds?: number | undefined;
	/** A URL is valid for this long after the poll that returned it. */
	urlValidSeconds?: number | undefined;
	/** The file does not exist for this long after the end. */
	fileLagSeconds?: number | undefined;
}
