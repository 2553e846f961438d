import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS, ROOT } from './paths';

const INSTALLED = join(PEERS, '.complete');

/** Installs n8n's own nodes for the benchmark, once: some minutes and more than a gigabyte. */
export function installPeers(): void {
	if (existsSync(INSTALLED)) return;
	process.stdout.write("Installing n8n's nodes to compare with (only once, takes some minutes)…\n");
	execFileSync(
		'npm',
		[
			'install',
			'--legacy-peer-deps',
			'--ignore-scripts',
			'--no-audit',
			'--no-fund',
			'--no-package-lock',
		],
		{ cwd: join(PEERS, '..'), stdio: 'inherit' },
	);
	// The peers run in the same engine as our nodes, as in n8n: n8n's packages must not be installed twice.
	for (const name of n8nPackages()) {
		if (existsSync(join(ROOT, 'node_modules', name))) {
			rmSync(join(PEERS, name), { recursive: true });
		}
	}
	writeFileSync(INSTALLED, '');
}

function n8nPackages(): string[] {
	const scoped = readdirSync(join(PEERS, '@n8n')).map((name) => `@n8n/${name}`);
	return ['n8n-workflow', 'n8n-core', ...scoped].filter((name) => existsSync(join(PEERS, name)));
}
