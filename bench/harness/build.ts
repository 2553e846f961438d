import { join } from 'node:path';
import { build } from 'esbuild';
import { BUILT, ROOT } from './paths';

/** The program that candidates run. */
export const CHILD = join(BUILT, 'child.js');

/**
 * Compiles the candidates' program for plain Node.js: a loader that compiles TypeScript would be measured with
 * them.
 */
export async function buildChild(): Promise<void> {
	await build({
		entryPoints: [join(ROOT, 'bench/harness/child.ts')],
		outfile: CHILD,
		bundle: true,
		packages: 'external',
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		logLevel: 'error',
	});
}
