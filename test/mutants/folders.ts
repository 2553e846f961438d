import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

/** Made by the first run, and continued by the next ones. */
export const OUTPUT = join(ROOT, 'mutants-output');

/** A copy of the project with all mutants in it, each behind a switch, and both builds of it. */
export const PROJECT = join(OUTPUT, 'project');
