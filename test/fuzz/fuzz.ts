import { randomInt } from 'node:crypto';
import { service } from './rawResponses';
import { properties } from './properties';

const DEFAULT_CASES = 120_000;

/** Checks every property with random inputs. Arguments: the total number of cases, and the seed of a run to repeat. */
async function main([cases = String(DEFAULT_CASES), seed = String(randomInt(2 ** 31))]: string[]) {
	const runs = Math.ceil(Number(cases) / properties.length);
	process.stdout.write(`Seed ${seed}\n`);
	await service.listen();
	for (const { name, check } of properties) {
		await check(runs, Number(seed));
		process.stdout.write(`${String(runs).padStart(8)} cases: ${name}\n`);
	}
	await service.close();
	process.stdout.write(`${runs * properties.length} cases in total, all passed\n`);
}

process.on('uncaughtException', (error) => {
	process.stderr.write(`Uncaught: ${error.stack ?? error.message}\n`);
	process.exit(1);
});

main(process.argv.slice(2)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
