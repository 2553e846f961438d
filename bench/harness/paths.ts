import { join } from 'node:path';

/** `npm run` starts every script in this folder. */
export const ROOT = process.cwd();
/** Where the peers are installed. */
export const PEERS = join(ROOT, 'bench/peers/node_modules');
/** What a run of the benchmark builds. */
export const BUILT = join(ROOT, 'node_modules/.cache/bench');
export const RESULTS = join(ROOT, 'docs/bench');
/** Where `--profile` writes CPU profiles. */
export const PROFILES = join(ROOT, 'bench/profiles');
