import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ALL, API } from './faults/fault';
import { FAULTS } from './faults/table';
import {
	CATALOGUE,
	ENDPOINTS,
	startSimulator,
	type Injection,
	type SimulatorOptions,
} from './index';

const FAULT_USAGE = [
	'To play a fault on a chat or a video submission, use the model fault-<name> or write [fault:<name>]',
	'in a message or a prompt. With poll- or download- before the name it is played on the polls or the',
	'download of the video, with -once or -twice after it only on the first requests.',
	'Examples: fault-rate-limit-once, [fault:stream-cut], [fault:poll-internal-error-twice].',
	'What a real gateway sent is a fault, too: field-<name>, of a file in test/corpus/files.',
].join('\n');

const USAGE = `npm run simulator -- [options]

  --port <n>             port to listen on (default 4010)
  --host <address>       IP address to listen on (default 127.0.0.1)
  --key <key>            key to accept (default local-key)
  --prefix </path>       path prefix of the base URL
  --video-seconds <n>    how long a video takes (default 4)
  --lag-seconds <n>      how long not-found-yet hides a task (default 10)
  --video-bytes <n>      minimum size of a video file in bytes
  --chunk-delay <ms>     delay between two chunks of a stream (default 25)
  --latency <ms>         delay before each response (default 0)
  --rate-limit <n>[:<b>] n requests per second for each key, b at once (default b = n)
  --rate-window <n>:<s>  instead, n requests in each window of s seconds
  --inject <e>:<fault>   play a fault on an endpoint (${ENDPOINTS.join(', ')});
                         can be given several times
  --faults               print the faults and exit
  --help                 print this and exit

${FAULT_USAGE}
`;

const amount = z.coerce.number().nonnegative();
const pair = z
	.string()
	.regex(/^[\d.]+(:[\d.]+)?$/, 'must be <number> or <number>:<number>')
	.transform((text) => text.split(':').map(Number));
const injection = z
	.string()
	.transform((text) => {
		const [endpoint, ...fault] = text.split(':');
		return { endpoint, fault: fault.join(':') };
	})
	.pipe(z.object({ endpoint: z.enum(ENDPOINTS), fault: z.string() }));

const argumentsSchema = z.object({
	port: z.coerce.number().int().min(0).max(65_535).default(4010),
	host: z.string().optional(),
	key: z.string().optional(),
	prefix: z
		.string()
		.regex(/^(\/[^/]+)+$/, 'must be like /gateway')
		.optional(),
	'video-seconds': amount.optional(),
	'lag-seconds': amount.optional(),
	'video-bytes': amount
		.int()
		.max(2 ** 32 - 1)
		.optional(),
	'chunk-delay': amount.default(25),
	latency: amount.optional(),
	'rate-limit': pair.optional(),
	'rate-window': pair.optional(),
	inject: z.array(injection).default([]),
});

type Arguments = z.infer<typeof argumentsSchema>;

function rateLimit(given: Arguments): SimulatorOptions['rateLimit'] {
	const [requests, windowSeconds = 1] = given['rate-window'] ?? [];
	if (requests !== undefined) return { requests, windowSeconds };
	const [requestsPerSecond, burst] = given['rate-limit'] ?? [];
	if (requestsPerSecond === undefined) return undefined;
	return { requestsPerSecond, burst: burst ?? Math.max(1, requestsPerSecond) };
}

function optionsFrom(given: Arguments): SimulatorOptions {
	const options: { [Name in keyof SimulatorOptions]: SimulatorOptions[Name] | undefined } = {
		port: given.port,
		host: given.host,
		key: given.key,
		pathPrefix: given.prefix,
		videoSeconds: given['video-seconds'],
		lagSeconds: given['lag-seconds'],
		videoBytes: given['video-bytes'],
		chunkDelayMs: given['chunk-delay'],
		latencyMs: given.latency,
		rateLimit: rateLimit(given),
	};
	return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function readArguments() {
	const text = { type: 'string' } as const;
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			faults: { type: 'boolean' },
			port: text,
			host: text,
			key: text,
			prefix: text,
			'video-seconds': text,
			'lag-seconds': text,
			'video-bytes': text,
			'chunk-delay': text,
			latency: text,
			'rate-limit': text,
			'rate-window': text,
			inject: { type: 'string', multiple: true },
		},
	});
	return values;
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

function where(endpoints: readonly string[]): string {
	if (endpoints.length === ALL.length) return 'everywhere';
	if (endpoints.length === API.length) return 'everywhere but download';
	return endpoints.join(', ');
}

/** The faults as lines of text for a terminal: the name, what happens, and where it can be played. */
function faultList(): string {
	const width = Math.max(...FAULTS.map(({ name }) => name.length));
	return FAULTS.map(
		({ name, description, endpoints }) =>
			`  ${name.padEnd(width)}  ${description} (${where(endpoints)})`,
	).join('\n');
}

async function serve(given: Arguments): Promise<void> {
	const simulator = await startSimulator({ ...optionsFrom(given), requestsKept: 100 });
	for (const { endpoint, fault } of given.inject satisfies Injection[]) {
		simulator.inject({ endpoint, fault });
	}
	print(`Faults: npm run simulator -- --faults\n${FAULT_USAGE}\n`);
	print('The simulated service is running:\n');
	print(`  Base URL  ${simulator.url}`);
	print(`  API key   ${simulator.key}`);
	print(`  Models    ${CATALOGUE.map(({ id }) => id).join('\n            ')}\n`);
	print('Press Ctrl+C to stop it.');
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void simulator.close());
	}
}

async function main(): Promise<void> {
	const values = readArguments();
	if (values.help) return print(USAGE);
	if (values.faults) return print(faultList());
	const given = argumentsSchema.safeParse(values);
	if (given.success) return serve(given.data);
	const messages = given.error.issues.map(({ path, message }) => `--${path.join(' ')}: ${message}`);
	throw new Error(messages.join('\n'));
}

main().catch((error: unknown) => {
	const message = error instanceof Error ? error.message : String(error);
	process.stderr.write(`${message}\nSee npm run simulator -- --help\n`);
	process.exitCode = 1;
});
