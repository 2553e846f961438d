import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ParsedMail } from 'mailparser';
import { type Simulator, startSimulator } from '../../simulator';
import { USER_FOLDER } from './folders';
import { freePort } from './freePort';
import { reloadOnSave } from './reloadOnSave';
import { listAsInstalled } from './listAsInstalled';
import { Mailbox } from '../receivers/mailbox';
import type { Receiver } from '../receivers/receiver';
import { startS3 } from '../receivers/s3';
import { importExamples, saveSimulatorCredential } from './seed';
import { installN8n } from './install';
import { N8nApi, OWNER } from './n8nApi';
import { ownersPassword } from './ownersPassword';
import { filesFolder, type N8nServer, startN8n } from './n8nServer';
import { installPackage } from './packageInstall';
import { type Step, visibleSteps } from './steps';

const USAGE = `npm run n8n -- [options]

Starts n8n with this package and the simulated service. Both listen only on this machine.

  --port <n>             port of the editor (default 5678, or another one if that is in use)
  --service-port <n>     port of the simulated service (default 5680, or another one if that is in use)
  --video-seconds <n>    how long a video takes (default 8)
  --watch                build and reload the nodes when a source file is saved (npm run dev)
  --help                 print this and exit

n8n is installed into e2e/n8n, or into the folder of the variable N8N_INSTALL_FOLDER. Your workflows and settings are
kept in ${USER_FOLDER}; delete that folder to start afresh.
`;

/** The delay between two words of a streamed answer: slow enough to see the stream. */
const WORD_DELAY_MS = 25;

/** n8n reloads nodes only in development mode. */
const HOT_RELOAD = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };

interface Options {
	port: number;
	servicePort: number;
	videoSeconds: number;
	watch: boolean;
}

/** @throws Error with the name of an invalid option */
function readArguments(): Options | undefined {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean', default: false },
			port: { type: 'string', default: '5678' },
			'service-port': { type: 'string', default: '5680' },
			'video-seconds': { type: 'string', default: '8' },
			watch: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const videoSeconds = Number(values['video-seconds']);
	if (!(videoSeconds >= 0)) throw new Error('--video-seconds must be 0 or more');
	return {
		port: readPort('--port', values.port),
		servicePort: readPort('--service-port', values['service-port']),
		videoSeconds,
		watch: values.watch,
	};
}

function readPort(option: string, text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
	throw new Error(`${option} must be a whole number from 1 to 65535`);
}

/** One Ctrl+C arrives twice: from the terminal, and from npm, which forwards it. */
const SAME_SIGNAL_MS = 1000;

/** Aborted by Ctrl+C, a closed terminal or SIGTERM. A second signal ends the process at once. */
function interruption(): AbortSignal {
	const controller = new AbortController();
	let first: number | undefined;
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(name, () => {
			first ??= Date.now();
			controller.abort();
			if (Date.now() - first > SAME_SIGNAL_MS) process.exit(1);
		});
	}
	return controller.signal;
}

async function main(): Promise<void> {
	const options = readArguments();
	if (options === undefined) return print(USAGE);
	const interrupted = interruption();
	await serve(options, await visibleSteps(), interrupted).catch((error: unknown) => {
		if (!interrupted.aborted) throw error;
	});
}

async function serve(
	{ port, servicePort, videoSeconds, watch }: Options,
	step: Step,
	interrupted: AbortSignal,
): Promise<void> {
	await installN8n(step, interrupted);
	await installPackage(USER_FOLDER, step, interrupted);
	// The same address after a restart: a video that n8n waits for is there, and the URL of an earlier one works.
	const simulator = await startSimulator({
		videoSeconds,
		chunkDelayMs: WORD_DELAY_MS,
		port: await freePort(servicePort),
		tasksFile: join(USER_FOLDER, 'simulated-videos.json'),
	});
	if (new URL(simulator.url).port !== String(servicePort)) {
		print(
			`Port ${servicePort} is in use: the service has another one, where earlier videos have no URL.`,
		);
	}
	const mailbox = await Mailbox.open(printMail);
	const storage = await startS3(join(filesFolder(USER_FOLDER), 's3'));
	try {
		const n8n = await step(
			'Starting n8n',
			startN8n(USER_FOLDER, interrupted, port, watch ? HOT_RELOAD : {}),
		);
		try {
			const password = await ownersPassword(USER_FOLDER);
			await seed(await N8nApi.signIn(n8n.url, password), simulator, mailbox, storage);
			printAccess(n8n, simulator, password);
			if (watch) reloadOnSave(USER_FOLDER, print, interrupted);
			await Promise.race([once(interrupted, 'abort'), n8n.ended]);
		} finally {
			await step('Stopping n8n', n8n.stop());
		}
	} finally {
		await Promise.all([simulator.close(), mailbox.close(), storage.close()]);
	}
}

/** Every example can be executed to its end. */
async function seed(
	api: N8nApi,
	simulator: Simulator,
	mailbox: Mailbox,
	storage: Receiver,
): Promise<void> {
	const save = async (name: string, { type, data }: Receiver['credential']) =>
		await api.saveCredential(name, type, data);
	const credentials = {
		generationServiceApi: await saveSimulatorCredential(api, simulator),
		smtp: await save('SMTP account', mailbox.credential),
		s3: await save('S3 account', storage.credential),
	};
	await importExamples(api, credentials, filesFolder(USER_FOLDER));
	await listAsInstalled(api, USER_FOLDER);
}

/** With its links, such as "Approve", each on a line of its own, since a terminal takes a bracket for a part of it. */
function printMail({ subject, text = '', html }: ParsedMail): void {
	const anchors = [...String(html).matchAll(/<a\s[^>]*href="([^"]*)"[^>]*>([^]*?)<\/a>/g)];
	const links = anchors.map(
		([, link = '', words = '']) =>
			`${words.replace(/<[^>]*>/g, '').trim()}: ${link.replaceAll('&amp;', '&')}`,
	);
	const withoutLinks = links.length > 0 ? text.replace(/ ?\[https?:[^\]]*\]/g, '') : text;
	print(`\nAn e-mail arrived: ${subject}\n\n${[withoutLinks, ...links].join('\n')}\n`);
}

function printAccess(n8n: N8nServer, simulator: Simulator, password: string): void {
	print(`
n8n is running with the example workflows and a credential for the simulated service:

  Editor     ${n8n.url}
  Email      ${OWNER.email}
  Password   ${password}

  Service    ${simulator.url}
  API key    ${simulator.key}
  Files      ${filesFolder(USER_FOLDER)} (the bucket of S3 is in s3)
  E-mails    are shown here
  n8n's log  ${n8n.logFile}

Press Ctrl+C to stop it.
`);
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
	const message = error instanceof Error ? error.message : String(error);
	process.stderr.write(`${message}\n`);
	process.exitCode = 1;
});
