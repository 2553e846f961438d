import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build, type BuildOptions, type Plugin, transformSync } from 'esbuild';
import replacements from '../../../gateway/cloud/replacements.json';
import type { Mutant } from './change';

const ROOT = resolve(__dirname, '../../..');

const BUNDLED = {
	bundle: true,
	platform: 'node',
	target: 'node20',
	format: 'cjs',
	entryPoints: [join(ROOT, 'gateway/index.ts')],
	logLevel: 'error',
} satisfies BuildOptions;

/** The source with the change. Its text must occur exactly once. */
export function mutated({ file, from, to }: Mutant): string {
	const source = readFileSync(join(ROOT, file), 'utf8');
	const count = source.split(from).length - 1;
	if (count !== 1) throw new Error(`${file} contains this text ${count} times:\n${from}`);
	return source.replace(from, () => to);
}

/** Builds both packages with the change into a folder, from the built ones of the repository. */
export async function buildMutant(mutant: Mutant, folder: string): Promise<void> {
	const source = mutated(mutant);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const copied of ['package.json', 'dist', 'dist-cloud'])
		cpSync(join(ROOT, copied), join(folder, copied), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
	if (mutant.file.startsWith('gateway/')) return await bundle(mutant.file, source, folder);
	const { code } = transformSync(source, { loader: 'ts', format: 'cjs', target: 'node20' });
	const built = mutant.file.replace(/\.ts$/, '.js');
	for (const dist of ['dist', 'dist-cloud/dist']) writeFileSync(join(folder, dist, built), code);
}

async function bundle(file: string, source: string, folder: string): Promise<void> {
	const change = changed(file, source);
	await build({
		...BUNDLED,
		outfile: join(folder, 'dist/gateway/client.js'),
		alias: { undici: './undici.js' },
		external: ['./undici.js'],
		plugins: [change],
	});
	await build({
		...BUNDLED,
		outfile: join(folder, 'dist-cloud/dist/gateway/client.js'),
		alias: { zod: 'zod/v4' },
		external: ['n8n-workflow', 'zod/v4'],
		plugins: [cloud, change],
	});
}

function changed(file: string, contents: string): Plugin {
	const path = join(ROOT, file);
	return {
		name: 'mutant',
		setup: ({ onLoad }) =>
			onLoad({ filter: /\.ts$/ }, (loaded) =>
				loaded.path === path ? { contents, loader: 'ts' } : undefined,
			),
	};
}

/** As gulpfile.js builds the package for n8n Cloud. */
const cloud: Plugin = {
	name: 'replace',
	setup: ({ onResolve }) =>
		onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir }) => {
			const file = relative(ROOT, join(resolveDir, name));
			const replacement: string | undefined = Object.entries(replacements).find(
				([replaced]) => replaced === file,
			)?.[1];
			return replacement === undefined ? undefined : { path: join(ROOT, `${replacement}.ts`) };
		}),
};
