import { parseArgs } from 'node:util';
import { z } from 'zod';

const USAGE = `npm run simulate -- [options]

Plays random scenarios. Without --scenarios and --seconds it is one.

  --seed <n>          the first scenario (default a random one)
  --scenarios <n>     how many, each with the next seed
  --seconds <n>       as many as fit in this time
  --promise <name>    shows only what breaks this promise
  --until-found       ends with the first broken promise
  --no-shrink         does not look for the smallest scenario that breaks a promise
  --save <words>      keeps the smallest scenario in found/ under this name
  --scenario <file>   plays a scenario of a file instead
  --timeline          prints all that happened
  --outcome           with --scenario: prints its items and requests as JSON
  --packages <folder> plays the builds of another folder
  --check             plays what npm test plays, prints a JSON report, and fails if it is not as knownSeeds.json and
                      found/ say
  --seeds <n>         with --check: how many seeds; CI plays more than npm test
  --forget-fixed      with --check: takes from knownSeeds.json what no longer breaks
  --help              print this and exit
`;

const number = z.coerce.number('must be a number').positive('must be a number above 0');
const count = number.int('must be a whole number').optional();
const amounts = z.object({
	seed: count,
	scenarios: count,
	seeds: count,
	seconds: number.optional(),
});

function read() {
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean' } as const;
	const { values } = parseArgs({
		options: {
			seed: text,
			scenarios: text,
			seconds: text,
			promise: text,
			'until-found': flag,
			'no-shrink': flag,
			save: text,
			scenario: text,
			timeline: flag,
			outcome: flag,
			packages: text,
			check: flag,
			seeds: text,
			'forget-fixed': flag,
			help: flag,
		},
	});
	const { seed, scenarios, seeds, seconds, ...others } = values;
	const given = amounts.safeParse({ seed, scenarios, seeds, seconds });
	if (given.success) return { ...others, ...given.data };
	throw new Error(
		given.error.issues.map(({ path, message }) => `--${path.join(' ')} ${message}`).join('\n'),
	);
}

/** Ends the process where there is nothing to play. */
export function readOptions() {
	try {
		const values = read();
		if (!values.help) return values;
		process.stdout.write(USAGE);
		process.exit();
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		process.stderr.write(`${message}\nSee npm run simulate -- --help\n`);
		process.exit(1);
	}
}
