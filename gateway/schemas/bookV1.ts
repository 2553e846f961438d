import * as z from 'zod';
import type { WallTime } from '../wallTime';
import { videoTask } from './video';

/** Part of every stored book. A later version of this package reads it, or refuses it and names its tasks. */
const BOOK_VERSION = 1;

/** Milliseconds since the Unix epoch. */
const wallTime = z.custom<WallTime>((value) => Number.isFinite(value));

/** Everything a node reports of an error: enough to report it again in another process. */
const errorReport = z.object({
	/** As in an error item. */
	failure: z.looseObject({
		message: z.string(),
		/** What to do next, then the service's own words. */
		description: z.string(),
		code: z.string(),
		/** Null if the failure is not a response of the service. */
		http_status: z.number().nullable(),
	}),
	/** Thrown as n8n's NodeApiError. */
	isApiError: z.boolean(),
});

export type ErrorReport = z.infer<typeof errorReport>;

/** One video task. */
const paidTask = z.object({
	/** What the service said of it last, whole. */
	entry: videoTask,
	/** What was known of it before a poll found it: that of its submission. Undefined until then. */
	submitted: videoTask.optional(),
	/** The service's object of the request that created it, without its tasks; undefined: another execution created it. */
	request: z.record(z.string(), z.unknown()).optional(),
	submittedAt: wallTime.optional(),
	/** When its Max Wait is over: a restart does not extend it. */
	deadline: wallTime.optional(),
	/** The first progress that a poll has seen, after the queue. */
	seen: z.object({ at: wallTime, progress: z.number() }).optional(),
	/** Whether the service said that it knows no such task. */
	isUnknown: z.boolean().optional(),
	/** Answers in a row that are no word of the service. */
	foreignAnswers: z.number().optional(),
	/** Whether its item or its error is made. */
	isSettled: z.boolean().optional(),
	/** The file of its video, as n8n keeps it. */
	file: z.object({ data: z.string(), mimeType: z.string() }).optional(),
	error: errorReport.optional(),
	/** Whether another one is to be submitted for it, or was: it failed. */
	again: z.enum(['due', 'done']).optional(),
});

/** How to wait for tasks. */
const wait = z.object({
	pollIntervalMs: z.number(),
	maxWaitMs: z.number(),
	polling: z.enum(['fixed', 'adaptive']),
	onTimeout: z.enum(['error', 'output']),
});

/** What the items of tasks look like. */
const output = z.object({
	simplify: z.boolean(),
	/** Whether they have the fields of their input item, too. */
	includeInputFields: z.boolean().optional(),
	/** The binary field for the video; undefined: it is not downloaded. */
	binaryProperty: z.string().optional(),
	/** Default: the name of its task. */
	fileName: z.string().optional(),
});

/** What one item submitted, and what came of it. */
const bookEntry = z.object({
	item: z.number().int(),
	/** Whether another version of this package stored it: nothing of it but ids is known, and nothing may be submitted. */
	isForeign: z.boolean().optional(),
	/** Undefined: they are not waited for. */
	wait: wait.optional(),
	output: output.optional(),
	tasks: z.array(paidTask),
	/** How many tasks were asked for, and how many the service named. */
	asked: z.number().optional(),
	named: z.number().optional(),
	/** The answer of a model. */
	answer: z.custom<object>((value) => Object(value) === value).optional(),
	/** The service may have accepted a submission that it never answered; which execution told its user so, if any. */
	lost: z.object({ toldIn: z.string().optional() }).optional(),
	/** Why it has no tasks, or no others for those that failed. */
	error: errorReport.optional(),
	/** What became of what an earlier try paid for. */
	earlier: errorReport.optional(),
});

/** The entries of one run of a node, by the fingerprints of their requests. */
const book = z.object({
	version: z.literal(BOOK_VERSION),
	entries: z.record(z.string(), bookEntry),
});

export type WaitOptions = z.infer<typeof wait>;
export type OutputOptions = z.infer<typeof output>;
export type PaidTask = z.infer<typeof paidTask>;
export type BookEntry = z.infer<typeof bookEntry>;
export type Book = z.infer<typeof book>;

/** What every version has of an entry. */
const foreignEntry = z
	.object({
		item: z.number(),
		tasks: z.array(z.object({ entry: z.object({ id: z.string(), status: z.string() }) })),
	})
	.catch({ item: 0, tasks: [] })
	.transform((entry): BookEntry => ({ ...entry, isForeign: true }));
const foreignBook = z.object({ entries: z.record(z.string(), foreignEntry) });

const isBook = (value: unknown): value is Book => book.safeParse(value).success;

/** The same object, with all its fields; of what is no book of this version, what names tasks. */
export function readBook(value: unknown): Book {
	if (isBook(value)) return value;
	return { version: BOOK_VERSION, ...(foreignBook.safeParse(value).data ?? { entries: {} }) };
}
