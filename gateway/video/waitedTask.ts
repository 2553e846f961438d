import * as z from 'zod';
import { videoTask } from '../schemas/video';
import type { WallTime } from '../wallTime';

/** Milliseconds since the Unix epoch. */
const wallTimeSchema = z.custom<WallTime>((value) => Number.isFinite(value));

/** What is known of a video task that is waited for: with these fields alone, another process continues the wait. */
export const waitedTask = z.object({
	/** What the service said of it last, whole. */
	latest: videoTask,
	/** What was known of it before a poll found it, such as from its submission. Undefined until then. */
	submitted: videoTask.optional(),
	/** When this execution submitted it; undefined: another one did. */
	submittedAt: wallTimeSchema.optional(),
	/** When its Max Wait is over: a restart does not extend it. Undefined: it is polled once. */
	deadline: wallTimeSchema.optional(),
	/** When it is polled next. */
	due: wallTimeSchema.optional(),
	/** What the last polls in a row said that ends the wait if it lasts. */
	doubt: z.object({ said: z.string(), since: wallTimeSchema }).optional(),
	/** When the last poll, after Max Wait, first failed. */
	lastFailedAt: wallTimeSchema.optional(),
});

export type WaitedTask = z.infer<typeof waitedTask>;

/** What a new wait for a task begins without. */
export const OF_A_WAIT = ['deadline', 'due', 'doubt', 'lastFailedAt'] as const;
