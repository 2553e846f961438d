import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Task } from './task';

/** A task that no fault belongs to: a fault is no data. */
const stored = z.object({
	id: z.string(),
	submissionId: z.string(),
	model: z.string(),
	prompt: z.string(),
	revisedPrompt: z.string(),
	format: z.object({ size: z.string(), duration: z.number(), fps: z.number() }),
	inline: z.boolean(),
	createdAt: z.number(),
	durationMs: z.number(),
});

/** The tasks of an earlier simulator; none if there is no such file, or another version of the simulator wrote it. */
export function readTasks(file: string): Task[] {
	try {
		const tasks = z.array(stored).parse(JSON.parse(readFileSync(file, 'utf8')));
		return tasks.map((task) => ({
			...task,
			reportedId: task.id,
			plan: { seconds: task.durationMs / 1000 },
			faults: [],
		}));
	} catch {
		return [];
	}
}

export function writeTasks(file: string, tasks: Task[]): void {
	const plain = tasks.filter(({ faults, outcome }) => faults.length === 0 && outcome === undefined);
	writeFileSync(file, JSON.stringify(z.array(stored).parse(plain)));
}
