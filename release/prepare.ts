import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { valid } from 'semver';
import { versionOf } from './distTag';
import { publishedVersion, ROOT, run } from './npm';
import { packBuilds, readManifest } from './packBuilds';
import { writePin } from './pinnedVersion';

/** The local part of a release: version, checks, tarballs, pins, commit and tag. It pushes nothing. */
async function main(version: string | undefined): Promise<void> {
	if (!version || valid(version) !== version) {
		throw new Error('Usage: npm run release -- 1.2.3');
	}
	if ((await run('git', ['status', '--porcelain'])) !== '') {
		throw new Error('Commit or discard your changes first: the tag must contain all of them');
	}
	const changelog = join(ROOT, 'CHANGELOG.md');
	const entries = await readFile(changelog, 'utf8');
	const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*$`, 'm');
	if (!heading.test(entries)) throw new Error(`CHANGELOG.md has no entry "## [${version}]"`);
	const today = new Date().toISOString().slice(0, 10);
	await writeFile(changelog, entries.replace(heading, `## [${version}] - ${today}`));
	const step = (text: string) => process.stdout.write(`${text}\n`);
	step(`Version ${version}`);
	const tag = `v${version}`;
	const earlier = (await run('git', ['tag', '--list', tag])).trim() !== '';
	if (earlier) {
		const { name } = await readManifest();
		for (const build of ['verified', 'undici'] as const) {
			const published = await publishedVersion(name, versionOf(build, version));
			if (published !== undefined) throw new Error(`${name} ${published} is published already`);
		}
		step(`It was never published: its tag, ${tag}, is replaced`);
	}
	await run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version']);
	step('Packing both builds, twice');
	const [first, second] = [await pack(), await pack()];
	if (JSON.stringify(first) !== JSON.stringify(second)) {
		throw new Error('The same sources gave different tarballs');
	}
	const undici = first.find(({ build }) => build === 'undici')!;
	await writePin({ version: undici.version, checksum: undici.integrity });
	step('Checks: types, lint, tests of the package in both builds');
	await run('npm', ['run', 'typecheck']);
	await run('npm', ['run', 'lint']);
	await run('npm', ['run', 'format:check']);
	await run('npx', ['jest', 'test/package', 'test/architecture']);
	await run('npx', ['jest', '--config', 'test/verified/jest.config.js', 'test/verified']);
	// Nothing changes where the same sources were prepared before.
	if ((await run('git', ['status', '--porcelain'])) !== '')
		await run('git', ['commit', '--all', '--message', `Version ${version}`]);
	const annotated = ['--annotate', tag, '--message', `Version ${version}`];
	await run('git', ['tag', ...(earlier ? ['--force'] : []), ...annotated]);
	for (const { build, file, integrity } of first) step(`${build} build: ${file} ${integrity}`);
	step(`Next: bash .ci/run, then git push origin main ${tag}`);
}

async function pack() {
	const folder = await mkdtemp(join(tmpdir(), 'release-'));
	try {
		return await packBuilds(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

main(process.argv[2]).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
