// Before everything else: what is loaded after this is in virtual time.
import { install } from './host/install';

install();
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { main } = require('./program') as typeof import('./program');
void main();
