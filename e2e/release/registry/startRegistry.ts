import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../host/freePort';
import { runCommand } from '../../host/runCommand';
import { until } from '../../host/until';

/** The executable of Verdaccio, a package registry, which the first run installs. */
const PROGRAM = join(__dirname, 'node_modules', 'verdaccio', 'bin', 'verdaccio');

export interface Registry {
	url: string;
	/** Publishes a tarball under a dist-tag. */
	publish(tarball: string, tag: string): Promise<void>;
	stop(): Promise<void>;
}

/** Starts an empty registry that knows no other one. Everyone may publish. */
export async function startRegistry(folder: string): Promise<Registry> {
	await access(PROGRAM).catch(async () => {
		await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: __dirname });
	});
	await mkdir(folder, { recursive: true });
	const config = {
		storage: join(folder, 'storage'),
		auth: { htpasswd: { file: join(folder, 'htpasswd') } },
		packages: { '**': { access: '$all', publish: '$all' } },
		log: { type: 'stdout', level: 'error' },
	};
	// JSON is YAML, too.
	await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
	const port = await freePort();
	const args = ['--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
	const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' });
	const url = `http://127.0.0.1:${port}/`;
	await until(async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok === true);
	// npm publishes only with a token, whatever the registry wants.
	const npmrc = join(folder, 'npmrc');
	await writeFile(npmrc, `//127.0.0.1:${port}/:_authToken=anyone\n`);
	return {
		url,
		publish: async (tarball, tag) => {
			const target = ['--registry', url, '--userconfig', npmrc, '--tag', tag];
			await runCommand('npm', ['publish', tarball, ...target], { cwd: folder });
		},
		stop: async () => {
			const ended = once(child, 'exit');
			child.kill();
			await ended;
		},
	};
}
