import { z } from 'zod';

/** The n8n that all journeys share. */
const world = z.object({ url: z.string(), cookie: z.string(), userFolder: z.string() });

export type Environment = z.infer<typeof world>;

const VARIABLE = 'N8N_JOURNEYS_WORLD';

/** Passes the environment to the processes that jest starts. */
export function publishEnvironment(value: Environment): void {
	process.env[VARIABLE] = JSON.stringify(value);
}

export function theEnvironment(): Environment {
	return world.parse(JSON.parse(process.env[VARIABLE] ?? 'null'));
}
