import { join } from 'node:path';

/** `npm run` starts every script here. */
export const ROOT = process.cwd();
/** Where the peers are installed. */
export const PEERS = join(ROOT, 'bench/peers/node_modules');
/** What is built for a run of the benchmark. */
export const BUILT = join(ROOT, 'node_modules/.cache/bench');
export const RESULTS = join(ROOT, 'docs/bench');
/** Where `--profile` leaves its CPU profiles. */
export const PROFILES = join(ROOT, 'bench/profiles');
