import { z } from 'zod';

/** The n8n that all journeys share. */
const environmentSchema = z.object({ url: z.string(), cookie: z.string(), userFolder: z.string() });

export type Environment = z.infer<typeof environmentSchema>;

const VARIABLE = 'N8N_JOURNEYS_ENVIRONMENT';

/** Passes the environment to the processes that jest starts. */
export function shareEnvironment(environment: Environment): void {
	process.env[VARIABLE] = JSON.stringify(environment);
}

export function sharedEnvironment(): Environment {
	return environmentSchema.parse(JSON.parse(process.env[VARIABLE] ?? 'null'));
}
