import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage at once: also that of other test files, which the same process has run. */
export const collectGarbage = runInNewContext('gc') as () => void;
