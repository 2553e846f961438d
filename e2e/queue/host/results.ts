import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { draw } from '../../../bench/report/charts';
import { ROOT } from '../../host/folders';

/** Written only with RECORD_SCALING=1, since figures of a busy machine mislead. */
const FILE = join(ROOT, 'docs', 'scaling', 'results.json');
const CHART = join(ROOT, 'docs', 'scaling', 'time.svg');

const results = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.number())));

/** Records the figures of a case and a way to wait. */
export async function record(
	name: string,
	way: string,
	figures: Record<string, number>,
): Promise<void> {
	process.stdout.write(`${name}, ${way}: ${JSON.stringify(figures)}\n`);
	if (process.env.RECORD_SCALING === undefined) return;
	const known = await readFile(FILE, 'utf8').catch(() => '{}');
	const all = results.parse(JSON.parse(known));
	const next = { ...all, [name]: { ...all[name], [way]: figures } };
	await mkdir(dirname(FILE), { recursive: true });
	await writeFile(FILE, `${JSON.stringify(next, undefined, '\t')}\n`);
	await writeFile(CHART, chart(next));
}

/** How long executions that started together took. */
function chart(all: z.infer<typeof results>): string {
	const bars = Object.entries(all).flatMap(([name, ways]) =>
		Object.entries(ways).flatMap(([way, { executions, seconds }]) =>
			executions === undefined || seconds === undefined
				? []
				: [
						{
							label: `${name.replace(' executions', '')}: ${way}`,
							value: seconds,
							isOurs: way === 'database',
						},
					],
		),
	);
	const title = 'Videos of 60 s, requested at once: until the last execution ends';
	return draw({ title, unit: 's', bars });
}
