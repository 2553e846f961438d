// Before everything else: what is loaded after this lives in virtual time.
import { install } from '../simulation/host/install';

install();
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { playMutants } = require('./scenarios') as typeof import('./scenarios');
void playMutants();
