import type { IBinaryData } from 'n8n-workflow';
import * as z from 'zod';
import { errorRecord, waitedTask } from '../../../gateway';

// Part of the gateway's bundle, which has its zod: n8n's own may be an older one.

/** Part of every stored book. A later version of this package reads it, or refuses to submit. */
const BOOK_VERSION = 1;

/**
 * The life of a video task: `open` until it ends as `done` (it becomes an item), `failed` or `unknown` to the service (it becomes
 * an error). If the service reported it as failed, the next try finds it `due`, and submits another one in its place.
 */
const taskState = z.enum(['open', 'done', 'failed', 'unknown', 'due']);

/** One video task. */
const paidTask = waitedTask.extend({
	state: taskState,
	/** The service's object of the submission, without its tasks; undefined: another execution submitted it. */
	request: z.record(z.string(), z.unknown()).optional(),
	/** Its video, as n8n keeps files: one in memory has no ID. */
	file: z.custom<IBinaryData>((value) => Object(value) === value).optional(),
	/** In the states `failed` and `unknown`. */
	error: errorRecord.optional(),
});

/** How to wait for tasks. */
const waitOptions = z.object({
	/** Milliseconds. */
	interval: z.number(),
	maxWaitMs: z.number(),
	onTimeout: z.enum(['error', 'output']),
});

/** What the items of tasks look like. */
const outputOptions = z.object({
	simplify: z.boolean(),
	/** Whether they have the fields of their input item, too. */
	includeInputFields: z.boolean().optional(),
	/** The binary field for the video; undefined: it is not downloaded. */
	binaryProperty: z.string().optional(),
	/** Empty: the file is named after its task. */
	fileName: z.string().optional(),
});

/** What one item submitted, and what came of it. */
const bookEntry = z.object({
	item: z.number().int(),
	/** Fingerprints of the form and the input, and of the evaluated request. */
	formHash: z.string().optional(),
	requestHash: z.string().optional(),
	/** Undefined: the tasks are not waited for. */
	waitOptions: waitOptions.optional(),
	outputOptions: outputOptions.optional(),
	tasks: z.array(paidTask),
	/** How many tasks were asked for, and how many the service named. */
	asked: z.number().optional(),
	named: z.number().optional(),
	/** The answer of a model. */
	answer: z.custom<object>((value) => Object(value) === value).optional(),
	/** The service may have accepted a submission that it never answered; which execution told its user so, if any. */
	lost: z.object({ toldIn: z.string().optional() }).optional(),
	/** Why the item has no tasks, or none in place of those that failed. */
	error: errorRecord.optional(),
	/** The failure of what an earlier try paid for. */
	earlier: errorRecord.optional(),
});

/** The entries of one run of a node. */
const book = z.object({ version: z.literal(BOOK_VERSION), entries: z.array(bookEntry) });

export type WaitOptions = z.infer<typeof waitOptions>;
export type OutputOptions = z.infer<typeof outputOptions>;
export type PaidTask = z.infer<typeof paidTask>;
export type BookEntry = z.infer<typeof bookEntry>;
export type Book = z.infer<typeof book>;

export const newBook = (): Book => ({ version: BOOK_VERSION, entries: [] });

/** Whether this version can read it. */
export const isBook = (value: unknown): value is Book => book.safeParse(value).success;
